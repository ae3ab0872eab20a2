import { useTranslations } from "use-intl";
import { Button } from "../../parts/Button";
import { ItemTable } from "../../parts/ItemTable";
import { Note } from "../../parts/Note";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { TransactionView } from "../../parts/TransactionView";
import { ValueEditor } from "../../parts/ValueEditor";
import { ValueTree } from "../../parts/ValueTree";
import { ValueView } from "../../parts/ValueView";
import { Waiting } from "../../parts/Waiting";
import { Counter } from "../both/Counter";
import { NamePicker } from "../both/NamePicker";
import { Matrix, Part, Shown, type Specimens } from "./DesignScreen";
import css from "./design.module.css";
import {
  DIGITS,
  item,
  LONG,
  longReceipt,
  longTransaction,
  offline,
  receipt,
  refused,
  throttled,
  tooLong,
  unchanged,
} from "./specimens";

const nothing = () => undefined;
const tones = ["primary", "plain", "quiet"] as const;
/** A component that only shows has these not. */
const shownOnly = { hover: null, focus: null, chosen: null, disabled: null } as const;
const calm = { empty: null, loading: null, error: null } as const;

/** The parts that every screen is made of. */
export function Parts() {
  return (
    <>
      <Buttons />
      <Values />
      <Pickers />
      <Wholes />
    </>
  );
}

function Buttons() {
  const t = useTranslations("both");
  return tones.map((tone) => {
    const button = <Button tone={tone}>{t("sendAgain")}</Button>;
    const specimens: Specimens = {
      ...calm,
      rest: button,
      hover: button,
      focus: button,
      chosen: (
        <Button tone={tone} aria-pressed>
          {t("sendAgain")}
        </Button>
      ),
      disabled: (
        <Button tone={tone} isDisabled>
          {t("sendAgain")}
        </Button>
      ),
      // Its words are the workbench's own, and short: no data stands in a button.
      long: null,
      digits: null,
    };
    return <Matrix key={tone} name={`Button ${tone}`} specimens={specimens} />;
  });
}

function Values() {
  const editor = (name: string, value: (typeof item)[string] | undefined) => (
    <ValueEditor name={name} value={value} onDone={nothing} onCancel={nothing} />
  );
  const tree = (value: (typeof item)[string] = item.nested ?? { NULL: true }, name = "nested") => (
    <ValueTree name={name} value={value} onChange={nothing} onRemove={nothing} />
  );
  return (
    <>
      <Part name="Value types">
        <div className={css.states}>
          {Object.entries(item).map(([name, value]) => (
            <Shown key={name} state={name === "long" ? "long" : name === "exact" ? "digits" : "rest"}>
              <ValueView name={name} value={value} />
            </Shown>
          ))}
        </div>
      </Part>
      <Matrix
        name="Value"
        specimens={{
          ...shownOnly,
          rest: <ValueView name="note" value={{ S: "TARGET#bob" }} />,
          empty: <ValueView name="note" value={{ S: "" }} />,
          loading: null,
          error: null,
          long: <ValueView name="long" value={{ S: LONG }} />,
          digits: <ValueView name="exact" value={{ N: DIGITS }} />,
        }}
      />
      <Matrix
        name="ValueEditor"
        specimens={{
          rest: editor("grade", { S: "B" }),
          hover: editor("hovered", { S: "B" }),
          focus: editor("focused", { S: "B" }),
          chosen: null,
          disabled: null,
          empty: editor("new", undefined),
          loading: null,
          error: editor("wrong", { N: `${DIGITS}9` }),
          long: editor("long", { S: LONG }),
          digits: editor("exact", { N: DIGITS }),
        }}
      />
      <Matrix
        name="ValueTree"
        specimens={{
          rest: tree(),
          hover: tree(item.nested, "hovered"),
          focus: tree(item.nested, "focused"),
          chosen: null,
          disabled: <ValueTree name="fixed" value={item.nested ?? { NULL: true }} />,
          empty: tree({ M: {} }, "nothing"),
          loading: null,
          error: null,
          long: tree({ L: [{ S: LONG }] }, "longList"),
          digits: tree({ N: DIGITS }, "exactNumber"),
        }}
      />
      <Matrix
        name="Counter"
        specimens={{
          ...shownOnly,
          ...calm,
          rest: <Counter value="2500" />,
          empty: <Counter value="0" />,
          long: null,
          digits: <Counter value={DIGITS} />,
        }}
      />
    </>
  );
}

function Pickers() {
  const t = useTranslations("both");
  const picker = (id: string, value: string, suggestions: string[] = []) => (
    <NamePicker
      id={`design-${id}`}
      label={t("source")}
      value={value}
      suggestions={suggestions}
      onChoose={nothing}
    />
  );
  return (
    <Matrix
      name="NamePicker"
      specimens={{
        rest: picker("rest", "alice", ["bob"]),
        hover: picker("hover", "alice"),
        focus: picker("focus", "alice"),
        chosen: null,
        disabled: null,
        empty: picker("empty", ""),
        loading: null,
        error: null,
        long: picker("long", LONG),
        digits: picker("digits", DIGITS),
      }}
    />
  );
}

function Wholes() {
  const problem = (error: unknown) => <ProblemPanel error={error} onRetry={nothing} />;
  const grade = (value?: string) => (
    <ItemTable
      item={value === undefined ? {} : { grade: { S: value } }}
      editable={["grade"]}
      onEdit={nothing}
    />
  );
  const note = <Note name="item" />;
  const transaction = <TransactionView outcome={unchanged} keys={["PK", "SK"]} />;
  return (
    <>
      <Matrix
        name="Item"
        specimens={{
          rest: <ItemTable item={item} first={["PK", "SK"]} />,
          hover: grade("A"),
          focus: grade("B"),
          chosen: null,
          disabled: <ItemTable item={{ grade: { S: "C" } }} />,
          empty: grade(),
          loading: null,
          error: null,
          long: <ItemTable item={{ [LONG]: { S: LONG } }} />,
          digits: <ItemTable item={{ exact: { N: DIGITS } }} />,
        }}
      />
      <Matrix
        name="Receipt"
        specimens={{
          ...shownOnly,
          rest: <ReceiptLine receipt={receipt} />,
          empty: <ReceiptLine receipt={{ requests: [], sent: [] }} />,
          loading: <ReceiptLine receipt={undefined} />,
          error: null,
          long: <ReceiptLine receipt={longReceipt(LONG)} />,
          digits: <ReceiptLine receipt={longReceipt(`PK = ${DIGITS}`)} />,
        }}
      />
      <Matrix
        name="Transaction"
        specimens={{
          ...shownOnly,
          rest: transaction,
          focus: transaction,
          empty: (
            <TransactionView outcome={{ ...unchanged, transaction: {}, reasons: [] }} keys={["PK", "SK"]} />
          ),
          loading: null,
          error: transaction,
          long: <TransactionView outcome={longTransaction(LONG)} keys={["PK", "SK"]} />,
          digits: <TransactionView outcome={longTransaction(DIGITS)} keys={["PK", "SK"]} />,
        }}
      />
      <Matrix
        name="Problem"
        specimens={{
          rest: problem(throttled),
          hover: problem(throttled),
          focus: problem(throttled),
          chosen: null,
          disabled: <ProblemPanel error={throttled} />,
          empty: problem(offline),
          loading: null,
          error: problem(refused),
          long: problem(tooLong(LONG)),
          digits: problem(tooLong(DIGITS)),
        }}
      />
      <Matrix
        name="Waiting"
        specimens={{
          ...shownOnly,
          rest: null,
          empty: null,
          loading: <Waiting onCancel={nothing} />,
          error: null,
          long: null,
          digits: null,
        }}
      />
      <Matrix
        name="Note"
        specimens={{
          ...calm,
          rest: note,
          hover: note,
          focus: note,
          chosen: null,
          disabled: null,
          long: note,
          digits: null,
        }}
      />
    </>
  );
}
