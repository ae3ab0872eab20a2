import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { Item } from "../../api/client";
import { keyText } from "../../lib/key";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import tabs from "../../parts/tabs.module.css";
import { connectionsQuery } from "../both/data";
import { CreateTable } from "./CreateTable";
import { tableQuery, tablesQuery } from "./data";
import { Grid } from "./Grid";
import { Inspector } from "./Inspector";
import { NewItem } from "./NewItem";
import { QueryBar } from "./QueryBar";
import { Reads } from "./Reads";
import { Records } from "./Records";
import { Review } from "./Review";
import { Structure } from "./Structure";
import { keyOf, type TableInfo } from "./schema";
import { isAsked, type Search } from "./search";
import { stage } from "./staged";
import { TableList } from "./TableList";
import css from "./tables.module.css";

interface Props {
  connection: string;
  /** The open table; none is open where it is empty. */
  name: string;
  search: Search;
  /** A new table is being made. */
  creating?: boolean;
}

/** Tables with their indexes on the left; the rows of one, read by Query or (in red) Scan. */
export function TablesScreen({ connection, name, search, creating = false }: Props) {
  const t = useTranslations("tables");
  const tables = useQuery(tablesQuery(connection));
  const table = useQuery(tableQuery(connection, name));
  const connections = useQuery(connectionsQuery);
  const readOnly = connections.data?.find((c) => c.name === connection)?.read_only ?? true;
  return (
    <div className={css.screen}>
      {!table.data && (
        <h1 className="visually-hidden">
          {t("tables")}: {name}
        </h1>
      )}
      <nav className={css.tables} aria-label={t("tables")}>
        {!readOnly && (
          <Link
            to="/c/$connection/tables"
            params={{ connection }}
            search={{ new: "1" }}
            className={css.tableLink ?? ""}
          >
            <Plus aria-hidden size="1em" /> {t("newTable")}
          </Link>
        )}
        {tables.error && <ProblemPanel error={tables.error} onRetry={() => tables.refetch()} />}
        {tables.data?.length === 0 && <p className={css.empty}>{t("noTables")}</p>}
        {/* With its indexes at once: they would push the tables below them. */}
        {tables.data && (name === "" || !table.isPending) && (
          <TableList
            connection={connection}
            names={tables.data}
            open={name}
            table={table.data}
            index={search.index}
          />
        )}
      </nav>
      {creating && <CreateTable connection={connection} />}
      {!creating && name === "" && tables.data && tables.data.length > 0 && (
        <section className={css.choose} aria-label={t("chooseTable")}>
          <h2>{t("chooseTable")}</h2>
          <p>{t("openCost")}</p>
          <p>{t("openThen")}</p>
        </section>
      )}
      {table.error && <ProblemPanel error={table.error} onRetry={() => table.refetch()} />}
      {table.data && (
        <OpenTable
          key={name}
          connection={connection}
          readOnly={readOnly}
          table={table.data}
          search={search}
        />
      )}
    </div>
  );
}

interface OpenProps {
  connection: string;
  readOnly: boolean;
  table: TableInfo;
  search: Search;
}

/** One table: its items or its structure, the item that is open, and what is staged. */
function OpenTable({ connection, readOnly, table, search }: OpenProps) {
  const t = useTranslations("tables");
  const navigate = useNavigate();
  const [run, setRun] = useState(0);
  const [copyOf, setCopyOf] = useState<Item | null>(null);
  const go = (next: Search) =>
    navigate({ to: "/c/$connection/tables/$table", params: { connection, table: table.name }, search: next });
  const ask = (next: Search) => {
    setRun(run + 1);
    go(next);
  };
  const close = () => {
    setCopyOf(null);
    go({ ...search, item: "" });
  };
  const openNew = (from: Item | null) => {
    setCopyOf(from);
    go({ ...search, item: "new" });
  };
  const stageNew = (item: Item) => {
    const key = keyOf(table, item);
    stage(connection, { table, key, before: null, after: item });
    go({ ...search, item: keyText(key) });
  };
  const chosen = search.item === "" || search.item === "new" ? null : readKey(search.item);
  const title = search.index === "" ? table.name : `${table.name} · ${search.index}`;
  const inspecting = search.tab === "" && search.item !== "";
  return (
    <div className={css.open} data-inspecting={inspecting || undefined}>
      <section className={css.content}>
        <header className={css.head}>
          <h1 title={title}>
            <span className="visually-hidden">{t("tables")}: </span>
            {title}
          </h1>
          <span className={tabs.tabs}>
            {(["", "structure", "records"] as const).map((tab) => (
              <Button
                key={tab}
                tone="quiet"
                aria-pressed={search.tab === tab}
                onPress={() => go({ ...search, tab, item: "" })}
              >
                {t(tab === "" ? "items" : tab)}
              </Button>
            ))}
          </span>
          {!readOnly && search.tab === "" && (
            <Button onPress={() => openNew(null)}>
              <Plus aria-hidden size="1em" /> {t("newItem")}
            </Button>
          )}
        </header>
        <div className={css.main}>
          {search.tab === "structure" && (
            <Structure connection={connection} readOnly={readOnly} table={table} />
          )}
          {search.tab === "records" && (
            <Records key={table.stream?.arn} connection={connection} readOnly={readOnly} table={table} />
          )}
          {search.tab === "" && (
            <>
              <QueryBar table={table} search={search} onRun={ask} />
              {isAsked(search) ? (
                <Grid
                  key={`${search.index} ${run}`}
                  connection={connection}
                  readOnly={readOnly}
                  table={table}
                  search={search}
                  run={run}
                  onChoose={(item) => go({ ...search, item: item ? keyText(keyOf(table, item)) : "" })}
                  onReverse={() => ask({ ...search, desc: !search.desc, item: "" })}
                />
              ) : (
                <Reads
                  key={search.index}
                  connection={connection}
                  table={table}
                  index={search.index}
                  onRun={ask}
                />
              )}
            </>
          )}
        </div>
        <Review />
      </section>
      {inspecting && search.item === "new" && !readOnly && (
        <NewItem table={table} from={copyOf} onStage={stageNew} onClose={close} />
      )}
      {inspecting && chosen && (
        <Inspector
          key={search.item}
          connection={connection}
          readOnly={readOnly}
          table={table}
          itemKey={chosen}
          onDuplicate={openNew}
          onClose={close}
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
