import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { type Item, Problem, type Receipt } from "../../api/client";
import { Button } from "../../parts/Button";
import { ItemTable } from "../../parts/ItemTable";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { ValueEditor } from "../../parts/ValueEditor";
import { ValueView } from "../../parts/ValueView";
import css from "./design.module.css";

const colours = [
  "ground",
  "panel",
  "line",
  "border",
  "text",
  "quiet",
  "accent",
  "out",
  "in",
  "ok",
  "warn",
  "bad",
];
const sizes = ["caption", "grid", "body", "section", "title", "counter"];
const spaces = [1, 2, 3, 4, 5, 6, 7];

const item: Item = {
  PK: { S: "ACTOR#alice" },
  SK: { S: "TARGET#bob" },
  createdAt: { N: "1718900000" },
  exact: { N: "12345678901234567890123456789012345678" },
  long: {
    S: "a text that is longer than any column and must be cut with an ellipsis, never wrapped, 日本語も同じ",
  },
  tags: { SS: ["a,b", "c#d", "e/f"] },
  nested: { M: { list: { L: [{ N: "1" }, { NULL: true }] } } },
  picture: { B: "iVBORw0KGgoAAAANSUhEUg==" },
  yes: { BOOL: true },
};
const read = { table: "follow", consistency: "eventual", write_units: "0" } as const;
const receipt: Receipt = {
  sent: [],
  requests: [
    {
      ...read,
      operation: "Query",
      index: "GSI1",
      key: "GSI1PK = TARGET#bob",
      pages: 1,
      count: 2,
      scanned: 2,
      read_units: "0.5",
      micros: 412,
    },
    { ...read, operation: "Scan", pages: 3, count: 2500, scanned: 2500, read_units: "128.5", micros: 18200 },
  ],
};
const refused = new Problem({
  code: "ConditionalCheckFailedException",
  message: "The conditional request failed",
  hint: "createdAt is no longer 1718900000.",
  item: { PK: { S: "ACTOR#alice" }, createdAt: { N: "1718900001" } },
});
const offline = new Problem({ code: "offline", message: "" });
const nothing = () => undefined;

/** Tokens, and every component in every state. */
export function DesignScreen() {
  const t = useTranslations("design");
  const [density, setDensity] = useState("compact");
  const dense = (next: string) => {
    document.documentElement.dataset.density = next;
    setDensity(next);
  };
  return (
    <div className={css.design}>
      <header className={css.row}>
        <h1>{t("title")}</h1>
        {["compact", "roomy"].map((d) => (
          <Button key={d} tone={density === d ? "primary" : "plain"} onPress={() => dense(d)}>
            {d}
          </Button>
        ))}
      </header>
      <Part name={t("colour")}>
        <ul className={css.row}>
          {colours.map((c) => (
            <li key={c}>
              <span className={css.swatch} style={{ background: `var(--${c})` }} />
              <code>{c}</code>
            </li>
          ))}
        </ul>
      </Part>
      <Part name={t("type")}>
        {sizes.map((s) => (
          <p key={s} style={{ fontSize: `var(--text-${s})` }}>
            {s} 0123456789 aA 日本語 繁體
          </p>
        ))}
      </Part>
      <Part name={t("space")}>
        {spaces.map((s) => (
          <span key={s} className={css.space} style={{ width: `var(--space-${s})` }} title={String(s)} />
        ))}
      </Part>
      <Part name="Button">
        <div className={css.row}>
          {(["primary", "plain", "quiet"] as const).map((tone) => (
            <span key={tone} className={css.row}>
              <Button tone={tone}>{tone}</Button>
              <Button tone={tone} isDisabled>
                {tone}
              </Button>
            </span>
          ))}
        </div>
      </Part>
      <Part name="Value">
        {Object.entries(item).map(([name, value]) => (
          <p key={name} className={css.narrow}>
            <ValueView name={name} value={value} />
          </p>
        ))}
      </Part>
      <Part name="Value editor">
        <div className={css.narrow}>
          <ValueEditor name="exact" value={item.exact} onDone={nothing} onCancel={nothing} />
          <ValueEditor name="nested" value={item.nested} onDone={nothing} onCancel={nothing} />
        </div>
      </Part>
      <Part name="Item">
        <div className={css.narrow}>
          <ItemTable item={item} first={["PK", "SK"]} />
        </div>
      </Part>
      <Part name="Receipt">
        <ReceiptLine receipt={receipt} />
      </Part>
      <Part name="Problem">
        <ProblemPanel error={refused} onRetry={nothing} />
        <ProblemPanel error={offline} onRetry={nothing} />
      </Part>
    </div>
  );
}

function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section className={css.part}>
      <h2>{name}</h2>
      {children}
    </section>
  );
}
