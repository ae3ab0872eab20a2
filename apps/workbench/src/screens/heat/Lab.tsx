import { CircleCheck, CircleX } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { components } from "../../api/schema.gen";
import { Button } from "../../parts/Button";
import live from "../live/live.module.css";
import css from "./heat.module.css";
import { foresee, LIMITS, short, UNITS } from "./rates";

interface Props {
  lab: components["schemas"]["Lab"];
  /** Shards that new edges go to. */
  now: number;
  /** Write units a second at the busiest key of the list: what the load begins with. */
  rate: number;
  allowed: boolean;
  onResize: (to: number) => void;
}

/** Loads that can be tried, new edges a second. */
const LOADS = [50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000];
/** Read units of an eventual read of one key at least. */
const KEY_RCU = 0.5;

/** What N shards do under a load, before anything is changed. */
export function Lab({ lab, now, rate, allowed, onResize }: Props) {
  const t = useTranslations("heat");
  const sizes = lab.spreads.map((spread) => spread.shards);
  const suggested = Math.min(Math.max(now * 2, 16), sizes[sizes.length - 1] ?? 1);
  const [shards, setShards] = useState(suggested);
  const [load, setLoad] = useState(() => LOADS.find((each) => each >= Math.max(2000, rate * 2)) ?? 2000);
  const spread = lab.spreads.find((each) => each.shards === shards);
  if (spread === undefined) return null;
  const seen = foresee(spread.edges, load);
  const keys = shards > 1 ? shards + 1 : 1;
  const all = spread.edges.reduce((sum, n) => sum + n, 0) || 1;
  const top = Math.max(LIMITS.writes, seen.counter);
  return (
    <section className={css.lab} aria-label={t("lab")}>
      <div className={live.part}>
        <h3>{t("lab")}</h3>
      </div>
      <p className={css.quiet}>{t("labHint", { sources: lab.sources })}</p>
      <label>
        <span>{t("shards")}</span>
        <input
          type="range"
          min={0}
          max={sizes.length - 1}
          value={sizes.indexOf(shards)}
          aria-valuetext={String(shards)}
          onChange={(event) => setShards(sizes[Number(event.target.value)] ?? 1)}
        />
        <output>{shards}</output>
      </label>
      <label>
        <span>{t("load")}</span>
        <input
          type="range"
          min={0}
          max={LOADS.length - 1}
          value={LOADS.indexOf(load)}
          aria-valuetext={String(load)}
          onChange={(event) => setLoad(LOADS[Number(event.target.value)] ?? 2000)}
        />
        <output>{load.toLocaleString("en")}</output>
      </label>
      <p className={css.limit}>
        <i aria-hidden />
        {t("limit", { n: LIMITS.writes, unit: UNITS.writes })}
      </p>
      <div className={css.columns} aria-hidden>
        <i className={css.line} style={{ insetBlockEnd: `${(LIMITS.writes / top) * 100}%` }} />
        {spread.edges.map((edges, at) => {
          const units = ((edges / all) * load * seen.counter) / (seen.list || 1);
          return (
            <i
              // biome-ignore lint/suspicious/noArrayIndexKey: shards are numbered
              key={at}
              data-over={units > LIMITS.writes || undefined}
              style={{ height: `${(units / top) * 100}%` }}
            />
          );
        })}
      </div>
      <dl className={css.foreseen}>
        {(["list", "counter"] as const).map((which) => (
          <div key={which}>
            <dt>{t(which === "list" ? "busiestList" : "busiestCounter")}</dt>
            <dd data-over={seen[which] > LIMITS.writes || undefined}>
              {t("rate", { n: short(seen[which]), unit: UNITS.writes })}
            </dd>
          </div>
        ))}
      </dl>
      <p className={css.verdict} data-over={seen.refused > 0 || undefined}>
        {seen.refused > 0 ? <CircleX aria-hidden size="1em" /> : <CircleCheck aria-hidden size="1em" />}{" "}
        {seen.refused > 0 ? t("throttles", { percent: Math.round(seen.refused * 100) }) : t("holds")}
        {" · "}
        {t("most", { n: seen.most })}
      </p>
      <p className={css.quiet}>{t("readCost", { keys, rcu: String(keys * KEY_RCU) })}</p>
      <p className={css.action}>
        {shards !== now && (
          <Button tone="primary" isDisabled={!allowed} onPress={() => onResize(shards)}>
            {shards > now ? t("spread", { n: shards }) : t("gather", { n: shards })}
          </Button>
        )}
      </p>
    </section>
  );
}
