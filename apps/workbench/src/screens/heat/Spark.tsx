import css from "./heat.module.css";
import { SAMPLES } from "./rates";

const WIDTH = 96;
const HEIGHT = 20;

/** A minute of rates over its axis; its own highest is its height. What it says stands beside it in numbers. */
export function Spark({ series }: { series: number[] }) {
  const top = Math.max(...series, 1);
  const step = WIDTH / (SAMPLES - 1);
  const start = WIDTH - (series.length - 1) * step;
  const points = series
    .map(
      (rate, i) =>
        `${(start + i * step).toFixed(1)},${(HEIGHT - 1 - (rate / top) * (HEIGHT - 2)).toFixed(1)}`,
    )
    .join(" ");
  return (
    <svg className={css.spark} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
      <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      {series.length > 1 && (
        <>
          <polygon points={`${start.toFixed(1)},${HEIGHT} ${points} ${WIDTH},${HEIGHT}`} />
          <polyline points={points} />
        </>
      )}
    </svg>
  );
}
