import { useLayoutEffect, useRef, useState } from "react";
import css from "./both.module.css";

interface Tie {
  side: string;
  path: string;
  awaited: boolean;
}

/** Rows that are tied on one side at once: more would be a curtain. */
const TIES = 40;

/** Draws a ribbon from every row marked `data-tie` to the mark `data-anchor` of its side. */
function measure(frame: HTMLElement): Tie[] {
  const origin = frame.getBoundingClientRect();
  return ["out", "in"].flatMap((side) => {
    const anchor = frame.querySelector<HTMLElement>(`[data-anchor="${side}"]`);
    if (!anchor) return [];
    const middle = (frame.querySelector("[data-middle]") ?? anchor).getBoundingClientRect();
    const box = anchor.getBoundingClientRect();
    const at = (box.top + box.bottom) / 2 - origin.top;
    const rows = [...frame.querySelectorAll<HTMLElement>(`[data-tie="${side}"]`)].slice(0, TIES);
    return rows.flatMap((element) => {
      const row = element.getBoundingClientRect();
      const pane = element.closest("[data-pane]")?.getBoundingClientRect();
      const y = (row.top + row.bottom) / 2;
      if (!pane || y < pane.top || y > pane.bottom) return [];
      const left = row.right <= middle.left + 1;
      if (!left && row.left < middle.right - 1) return [];
      const from = (left ? row.right : row.left) - origin.left;
      const to = (left ? middle.left : middle.right) - origin.left;
      const bend = (from + to) / 2;
      const y0 = y - origin.top;
      const awaited = element.dataset.dotted !== undefined;
      return [{ side, awaited, path: `M${from} ${y0}C${bend} ${y0} ${bend} ${at} ${to} ${at}` }];
    });
  });
}

/** The ribbons over the rows around them; they follow whatever moves there. */
export function Ribbons() {
  const drawing = useRef<SVGSVGElement>(null);
  const [ties, setTies] = useState<Tie[]>([]);
  useLayoutEffect(() => {
    const element = drawing.current?.parentElement;
    if (!element) return;
    let waiting = 0;
    const draw = () => {
      waiting = 0;
      const next = measure(element);
      setTies((now) => (JSON.stringify(now) === JSON.stringify(next) ? now : next));
    };
    const soon = () => {
      if (waiting === 0) waiting = requestAnimationFrame(draw);
    };
    draw();
    const sizes = new ResizeObserver(soon);
    sizes.observe(element);
    const rows = new MutationObserver((changes) => {
      if (changes.some((c) => !(c.target instanceof SVGElement))) soon();
    });
    rows.observe(element, { childList: true, subtree: true, attributeFilter: ["data-tie", "data-dotted"] });
    element.addEventListener("scroll", soon, true);
    return () => {
      cancelAnimationFrame(waiting);
      sizes.disconnect();
      rows.disconnect();
      element.removeEventListener("scroll", soon, true);
    };
  }, []);
  return (
    <svg ref={drawing} className={css.ribbons} aria-hidden="true">
      {ties.map((tie) => (
        <path key={tie.path} d={tie.path} data-side={tie.side} data-dotted={tie.awaited || undefined} />
      ))}
    </svg>
  );
}
