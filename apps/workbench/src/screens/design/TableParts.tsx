import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { keyText } from "../../lib/key";
import { Question } from "../../parts/ConfirmByName";
import confirm from "../../parts/confirm.module.css";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { SheetHead } from "../../parts/Sheet";
import sheet from "../../parts/sheet.module.css";
import { Waiting } from "../../parts/Waiting";
import { Grid } from "../tables/Grid";
import { Inspector } from "../tables/Inspector";
import { QueryBar } from "../tables/QueryBar";
import { emptySearch, type Search } from "../tables/search";
import { Matrix, type Specimens, type State } from "./DesignScreen";
import css from "./design.module.css";
import { DIGITS, item, LONG, refused } from "./specimens";
import { CONNECTION, keyOfRow, read, tableOf } from "./tableSpecimens";

const nothing = () => undefined;

/** The parts of the tables screen, and what stands over every screen. */
export function TableParts({ client }: { client: QueryClient }) {
  return (
    <QueryClientProvider client={client}>
      <Matrix wide name="QueryBar" specimens={bars} />
      <Matrix wide name="Grid" specimens={grids} />
      <Matrix wide name="Inspector" specimens={inspectors} />
      <Sheets />
      <Questions />
    </QueryClientProvider>
  );
}

const bar = (search: Partial<Search>) => (
  <QueryBar table={tableOf("follow")} search={{ ...emptySearch, ...search }} onRun={nothing} />
);
const bars: Specimens = {
  rest: bar({ pk: "ACTOR#alice" }),
  hover: bar({ pk: "ACTOR#alice" }),
  focus: bar({ pk: "ACTOR#alice" }),
  chosen: bar({
    index: "GSI1",
    pk: "TARGET#bob",
    desc: true,
    filter: '[["createdAt",">","N","1718900000"]]',
  }),
  disabled: null,
  // Without a key it is a Scan, and says so.
  empty: bar({}),
  loading: null,
  error: null,
  long: bar({ pk: LONG, sk: LONG }),
  digits: bar({ pk: DIGITS, op: "between", sk: DIGITS, sk2: DIGITS }),
};

const grid = (state: State, open = "") => (
  <div className={css.grid}>
    <Grid
      grid={`${state}-`}
      connection={CONNECTION}
      readOnly={state === "disabled"}
      table={tableOf(state)}
      search={{ ...read(state), item: open }}
      run={0}
      onChoose={nothing}
      onReverse={nothing}
    />
  </div>
);
const grids: Specimens = {
  rest: grid("rest"),
  hover: grid("hover"),
  focus: grid("focus"),
  chosen: grid("chosen", keyText(keyOfRow(item))),
  disabled: grid("disabled"),
  empty: grid("empty"),
  loading: grid("loading"),
  error: grid("error"),
  long: grid("long"),
  digits: grid("digits"),
};

const inspector = (state: State) => (
  <Inspector
    connection={CONNECTION}
    readOnly={state === "disabled"}
    table={tableOf(state)}
    itemKey={keyOfRow(item)}
    onDuplicate={nothing}
    onClose={nothing}
  />
);
const inspectors: Specimens = {
  rest: inspector("rest"),
  hover: inspector("hover"),
  focus: inspector("focus"),
  chosen: null,
  disabled: inspector("disabled"),
  empty: inspector("empty"),
  loading: inspector("loading"),
  error: inspector("error"),
  long: inspector("long"),
  digits: inspector("digits"),
};

function Sheets() {
  const t = useTranslations("history");
  const one = (title: string, children: ReactNode) => (
    <div className={sheet.sheet} data-side="middle">
      <SheetHead title={title} onClose={nothing} />
      {children}
    </div>
  );
  const plain = one(t("title"), <p>{LONG}</p>);
  return (
    <Matrix
      wide
      name="Sheet"
      specimens={{
        rest: plain,
        hover: plain,
        focus: plain,
        chosen: null,
        disabled: null,
        empty: one(t("title"), <p>{t("none")}</p>),
        loading: one(t("title"), <Waiting onCancel={nothing} />),
        error: one(t("title"), <ProblemPanel error={refused} onRetry={nothing} />),
        long: one(LONG, <p>{LONG}</p>),
        digits: one(DIGITS, <p>{DIGITS}</p>),
      }}
    />
  );
}

function Questions() {
  const t = useTranslations("structure");
  const one = (name: string, more: { pending?: boolean; error?: unknown } = {}) => (
    <div className={confirm.modal}>
      <div className={confirm.dialog}>
        <Question
          title={t("deleteTitle", { name })}
          warning={t("deleteWarning")}
          name={name}
          action={t("delete")}
          pending={more.pending ?? false}
          error={more.error ?? null}
          onConfirm={nothing}
          onClose={nothing}
        />
      </div>
    </div>
  );
  return (
    <Matrix
      wide
      name="ConfirmByName"
      specimens={{
        rest: one("follow"),
        hover: one("follow"),
        focus: one("follow"),
        chosen: null,
        // Until the name is typed nothing can be destroyed.
        disabled: one("follow"),
        empty: one("follow"),
        loading: one("follow", { pending: true }),
        error: one("follow", { error: refused }),
        long: one(LONG),
        digits: one(DIGITS),
      }}
    />
  );
}
