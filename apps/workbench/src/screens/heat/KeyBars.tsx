import { Flame } from "lucide-react";
import { useTranslations } from "use-intl";
import type { components } from "../../api/schema.gen";
import css from "./heat.module.css";
import { type By, idOf, LIMITS, lengthOf, rateOf, seriesOf, short, type Tracks, UNITS } from "./rates";
import { Spark } from "./Spark";
import { useKeyWords } from "./words";

type Place = components["schemas"]["HeatPlace"];

/** Keys that are drawn of a place. */
const SHOWN = 10;

interface Props {
  table: string;
  place: Place;
  tracks: Tracks;
  by: By;
  open: string;
  onOpen: (id: string) => void;
}

/** A place's keys, the hottest now on top, each against what its partition takes. */
export function KeyBars({ table, place, tracks, by, open, onOpen }: Props) {
  const t = useTranslations("heat");
  const words = useKeyWords();
  const unit = UNITS[by];
  const title = t("place", { index: place.index ?? "none", table });
  const total = (key: Place["keys"][number]) => (by === "reads" ? key.read_milli : key.write_milli);
  const rows = place.keys
    .map((key) => {
      const id = idOf(place.index, key);
      return { key, id, rate: rateOf(tracks.get(id), by) };
    })
    .sort((a, b) => b.rate - a.rate || total(b.key) - total(a.key))
    .slice(0, SHOWN);
  return (
    <section className={css.place} aria-label={title}>
      <header>
        <h2>{title}</h2>
      </header>
      <div className={css.heads} aria-hidden>
        <span>{t("keyHead")}</span>
        <span>{t("nowTotal")}</span>
        <span className={css.span}>
          <span>{t("ago")}</span>
          <span>{t("now")}</span>
        </span>
      </div>
      {rows.length === 0 && <p className={css.quiet}>{t("quiet")}</p>}
      <ol style={{ height: `calc(var(--row) * ${SHOWN} * 1.5)` }}>
        {rows.map(({ key, id, rate }, at) => (
          <li key={id} style={{ transform: `translateY(${at * 100}%)` }}>
            <button type="button" aria-pressed={id === open} onClick={() => onOpen(id)}>
              <span className={css.name} title={key.words}>
                {rate > LIMITS[by] / 2 && <Flame aria-label={t("hot")} role="img" size="1em" />}
                <strong>{words(key)}</strong> <code>{key.words}</code>
              </span>
              <span className={css.bar} data-hot={rate > LIMITS[by] / 2 || undefined}>
                <i data-some={rate > 0 || undefined} style={{ width: `${lengthOf(rate, by) * 100}%` }} />
              </span>
              <span className={css.rates}>
                <span className={css.rate}>{t("rate", { n: short(rate), unit })}</span>
                <span className={css.total}>{t("total", { n: short(total(key) / 1000), unit })}</span>
              </span>
              <Spark series={seriesOf(tracks.get(id), by)} />
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
