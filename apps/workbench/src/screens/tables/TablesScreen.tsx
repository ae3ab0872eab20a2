import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { Item } from "../../api/client";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { connectionsQuery } from "../both/data";
import { tableQuery, tablesQuery } from "./data";
import { Grid } from "./Grid";
import { Inspector } from "./Inspector";
import { QueryBar } from "./QueryBar";
import { Review } from "./Review";
import { keyOf, keyText } from "./schema";
import type { Search } from "./search";
import css from "./tables.module.css";

const emptySearch: Search = { index: "", pk: "", op: "begins_with", sk: "", sk2: "", desc: false, item: "" };

/** Tables with their indexes on the left; the rows of one, read by Query or (in red) Scan. */
export function TablesScreen({
  connection,
  name,
  search,
}: {
  connection: string;
  name: string;
  search: Search;
}) {
  const t = useTranslations("tables");
  const navigate = useNavigate();
  const tables = useQuery(tablesQuery(connection));
  const table = useQuery(tableQuery(connection, name));
  const connections = useQuery(connectionsQuery);
  const readOnly = connections.data?.find((c) => c.name === connection)?.read_only ?? true;
  const [run, setRun] = useState(0);
  const go = (next: Search) =>
    navigate({ to: "/c/$connection/tables/$table", params: { connection, table: name }, search: next });
  const chosen = search.item === "" ? null : readKey(search.item);
  return (
    <div className={css.screen} data-inspecting={chosen !== null || undefined}>
      <h1 className="visually-hidden">
        {t("tables")}: {search.index || name}
      </h1>
      <nav className={css.tables} aria-label={t("tables")}>
        {tables.error && <ProblemPanel error={tables.error} onRetry={() => tables.refetch()} />}
        {tables.data?.length === 0 && <p className={css.empty}>{t("noTables")}</p>}
        <ul>
          {tables.data?.map((each) => (
            <li key={each}>
              <Link
                to="/c/$connection/tables/$table"
                params={{ connection, table: each }}
                search={emptySearch}
                activeOptions={{ includeSearch: false }}
                className={css.tableLink ?? ""}
              >
                {each}
              </Link>
              {each === name &&
                table.data?.indexes.map((index) => (
                  <Link
                    key={index.name}
                    to="/c/$connection/tables/$table"
                    params={{ connection, table: each }}
                    search={{ ...emptySearch, index: index.name }}
                    className={css.indexLink ?? ""}
                    data-chosen={search.index === index.name || undefined}
                  >
                    {index.name}
                  </Link>
                ))}
            </li>
          ))}
        </ul>
      </nav>
      <section className={css.content}>
        {table.error && <ProblemPanel error={table.error} onRetry={() => table.refetch()} />}
        {table.data && (
          <>
            <QueryBar
              table={table.data}
              search={search}
              onRun={(next) => {
                setRun(run + 1);
                go(next);
              }}
            />
            <Grid
              connection={connection}
              table={table.data}
              search={search}
              run={run}
              onChoose={(item) =>
                table.data && go({ ...search, item: item ? keyText(keyOf(table.data, item)) : "" })
              }
              onReverse={() => go({ ...search, desc: !search.desc })}
            />
            <Review />
          </>
        )}
      </section>
      {table.data && chosen && (
        <Inspector
          key={search.item}
          connection={connection}
          readOnly={readOnly}
          table={table.data}
          itemKey={chosen}
          onClose={() => go({ ...search, item: "" })}
        />
      )}
    </div>
  );
}

/** The key that a row's text stands for; a text from elsewhere that is none chooses nothing. */
function readKey(text: string): Item | null {
  try {
    return Object.fromEntries(JSON.parse(text) as [string, Item[string]][]);
  } catch {
    return null;
  }
}
