import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Flame } from "lucide-react";
import { useTranslations } from "use-intl";
import { useHere } from "../../frame/here";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { LiveTabs } from "../live/LiveTabs";
import live from "../live/live.module.css";
import { tablesQuery } from "../tables/data";
import css from "./heat.module.css";
import { KeyBars } from "./KeyBars";
import { KeyDetail } from "./KeyDetail";
import { idOf, LIMITS, UNITS } from "./rates";
import type { HeatSearch } from "./search";
import { useHeat, useSwitch } from "./useHeat";

/** Which keys are hot, against what a partition takes. */
export function HeatScreen({ connection, search }: { connection: string; search: HeatSearch }) {
  const t = useTranslations("heat");
  const navigate = useNavigate();
  const here = useHere();
  const tables = useQuery(tablesQuery(connection));
  const names = tables.data ?? [];
  const first = here.model && names.includes(here.model.table) ? here.model.table : (names[0] ?? "");
  const table = search.table === "" ? first : search.table;
  const watched = useHeat(connection, table);
  const counting = useSwitch(connection, table, watched.again);
  const set = (more: Partial<HeatSearch>) =>
    void navigate({
      to: "/c/$connection/heat",
      params: { connection },
      search: { ...search, ...more },
      replace: true,
    });
  if (here.place && !here.place.offers.includes("heat"))
    return <p className={live.elsewhere}>{t("notThere", { connection })}</p>;
  const { heat, tracks } = watched;
  const open = heat?.places
    .flatMap((place) => place.keys.map((key) => ({ place, key })))
    .find(({ place, key }) => idOf(place.index, key) === search.open);
  const readOnly = here.place?.read_only ?? true;
  return (
    <div className={css.screen} data-open={open !== undefined || undefined}>
      <div className={css.main}>
        <header className={live.head}>
          <h1>{t("title")}</h1>
          <LiveTabs connection={connection} tab="heat" />
        </header>
        <div className={live.filters}>
          <label>
            <span>{t("table")}</span>
            <select value={table} onChange={(event) => set({ table: event.target.value, open: "" })}>
              {names.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <fieldset className={css.by}>
            <legend className="visually-hidden">{t("by")}</legend>
            {(["writes", "reads"] as const).map((by) => (
              <Button key={by} tone="quiet" aria-pressed={search.by === by} onPress={() => set({ by })}>
                {t(by)}
              </Button>
            ))}
          </fieldset>
          <span className={css.limit}>
            <i aria-hidden />
            {t("limit", { n: LIMITS[search.by], unit: UNITS[search.by] })}
          </span>
          <span className={live.spring} />
          {heat?.counted && !readOnly && (
            <Button tone="quiet" isDisabled={counting.isPending} onPress={() => counting.mutate(false)}>
              {t("stop")}
            </Button>
          )}
        </div>
        {watched.problem && <ProblemPanel error={watched.problem} onRetry={watched.again} />}
        {counting.error && <ProblemPanel error={counting.error} />}
        {heat && !heat.counted && (
          <div className={live.empty}>
            <Flame aria-hidden size="2em" />
            <h2>{t("off", { table })}</h2>
            <p className={css.words}>{t("offHint")}</p>
            {readOnly ? (
              <p>{t("readOnly")}</p>
            ) : (
              <Button tone="primary" isDisabled={counting.isPending} onPress={() => counting.mutate(true)}>
                {t("on")}
              </Button>
            )}
          </div>
        )}
        {heat?.counted && (
          <div className={css.places}>
            {heat.places.map((place) => (
              <KeyBars
                key={place.index ?? ""}
                table={table}
                place={place}
                tracks={tracks}
                by={search.by}
                open={search.open}
                onOpen={(id) => set({ open: search.open === id ? "" : id })}
              />
            ))}
          </div>
        )}
      </div>
      {open && heat && (
        <KeyDetail
          key={search.open}
          connection={connection}
          readOnly={readOnly}
          heat={heat}
          tracks={tracks}
          index={open.place.index}
          hot={open.key}
          onClose={() => set({ open: "" })}
        />
      )}
    </div>
  );
}
