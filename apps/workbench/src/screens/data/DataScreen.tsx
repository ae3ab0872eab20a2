import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import { useHere } from "../../frame/here";
import { Button } from "../../parts/Button";
import tabs from "../../parts/tabs.module.css";
import live from "../live/live.module.css";
import { tableQuery, tablesQuery } from "../tables/data";
import css from "./data.module.css";
import { ExportPane } from "./ExportPane";
import { ImportPane } from "./ImportPane";
import { JobList } from "./JobList";
import { SnapshotPane } from "./SnapshotPane";
import { type DataSearch, panes } from "./search";

/** Data in and out of a table, and back to what it was. */
export function DataScreen({ connection, search }: { connection: string; search: DataSearch }) {
  const t = useTranslations("data");
  const navigate = useNavigate();
  const here = useHere();
  const tables = useQuery(tablesQuery(connection));
  const names = tables.data ?? [];
  const first = here.model && names.includes(here.model.table) ? here.model.table : (names[0] ?? "");
  const name = search.table === "" ? first : search.table;
  const table = useQuery({ ...tableQuery(connection, name), enabled: name !== "" });
  const set = (more: Partial<DataSearch>) =>
    void navigate({
      to: "/c/$connection/data",
      params: { connection },
      search: { ...search, ...more },
      replace: true,
    });
  if (here.place && !here.place.offers.includes("data"))
    return <p className={live.elsewhere}>{t("notThere", { connection })}</p>;
  const readOnly = here.place?.read_only ?? true;
  return (
    <div className={css.screen}>
      <section className={css.work} aria-label={t(search.pane)}>
        <header className={css.head}>
          <h1>{t("title")}</h1>
          <span className={tabs.tabs}>
            {panes.map((pane) => (
              <Button
                key={pane}
                tone="quiet"
                aria-pressed={search.pane === pane}
                onPress={() => set({ pane })}
              >
                {t(pane)}
              </Button>
            ))}
          </span>
        </header>
        <label className={css.field}>
          <span>{t("table")}</span>
          <select value={name} onChange={(event) => set({ table: event.target.value })}>
            {names.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        {search.pane === "import" && table.data && (
          <ImportPane key={name} connection={connection} table={table.data} readOnly={readOnly} />
        )}
        {search.pane === "export" && (
          <ExportPane connection={connection} table={name} described={table.data} />
        )}
        {search.pane === "snapshots" && name !== "" && (
          <SnapshotPane
            key={name}
            connection={connection}
            table={name}
            keys={table.data?.keys ?? []}
            readOnly={readOnly}
          />
        )}
      </section>
      <JobList connection={connection} />
    </div>
  );
}
