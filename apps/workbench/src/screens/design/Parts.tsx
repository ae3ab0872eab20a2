import { useTranslations } from "use-intl";
import { Button } from "../../parts/Button";
import { ItemTable } from "../../parts/ItemTable";
import { Note } from "../../parts/Note";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { TransactionView } from "../../parts/TransactionView";
import { ValueEditor } from "../../parts/ValueEditor";
import { ValueView } from "../../parts/ValueView";
import { Waiting } from "../../parts/Waiting";
import { NamePicker } from "../both/NamePicker";
import { Part, Shown } from "./DesignScreen";
import css from "./design.module.css";
import { DIGITS, item, LONG, offline, receipt, refused, throttled, unchanged } from "./specimens";

const nothing = () => undefined;
const tones = ["primary", "plain", "quiet"] as const;

/** The parts that every screen is made of. */
export function Parts() {
  const t = useTranslations("both");
  return (
    <>
      <Part name="Button">
        {tones.map((tone) => (
          <div key={tone} className={css.states}>
            {(["rest", "hover", "focus", "chosen"] as const).map((state) => (
              <Shown key={state} state={state}>
                <Button tone={tone}>{t("sendAgain")}</Button>
              </Shown>
            ))}
            <Shown state="disabled">
              <Button tone={tone} isDisabled>
                {t("sendAgain")}
              </Button>
            </Shown>
          </div>
        ))}
      </Part>
      <Part name="Value">
        <div className={css.states}>
          {Object.entries(item).map(([name, value]) => (
            <Shown key={name} state={name === "long" ? "long" : name === "exact" ? "digits" : "rest"}>
              <ValueView name={name} value={value} />
            </Shown>
          ))}
          <Shown state="empty">
            <ValueView name="note" value={{ S: "" }} />
          </Shown>
        </div>
      </Part>
      <Part name="ValueEditor">
        <div className={css.states}>
          <Shown state="digits">
            <ValueEditor name="exact" value={{ N: DIGITS }} onDone={nothing} onCancel={nothing} />
          </Shown>
          <Shown state="error">
            <ValueEditor name="wrong" value={{ N: `${DIGITS}9` }} onDone={nothing} onCancel={nothing} />
          </Shown>
          <Shown state="empty">
            <ValueEditor name="new" value={undefined} onDone={nothing} onCancel={nothing} />
          </Shown>
          <Shown state="long">
            <ValueEditor name="nested" value={item.nested} onDone={nothing} onCancel={nothing} />
          </Shown>
        </div>
      </Part>
      <Part name="NamePicker">
        <div className={css.states}>
          <Shown state="rest">
            <NamePicker
              id="design-rest"
              label={t("source")}
              value="alice"
              suggestions={["bob"]}
              onChoose={nothing}
            />
          </Shown>
          <Shown state="focus">
            <NamePicker
              id="design-focus"
              label={t("source")}
              value="alice"
              suggestions={[]}
              onChoose={nothing}
            />
          </Shown>
          <Shown state="empty">
            <NamePicker id="design-empty" label={t("target")} value="" suggestions={[]} onChoose={nothing} />
          </Shown>
          <Shown state="long">
            <NamePicker
              id="design-long"
              label={t("target")}
              value={LONG}
              suggestions={[]}
              onChoose={nothing}
            />
          </Shown>
        </div>
      </Part>
      <Part name="Item">
        <div className={css.states}>
          <Shown state="rest">
            <ItemTable item={item} first={["PK", "SK"]} />
          </Shown>
          <Shown state="empty">
            <ItemTable item={{}} editable={["grade"]} onEdit={nothing} />
          </Shown>
        </div>
      </Part>
      <Part name="Receipt">
        <div className={css.states}>
          <Shown state="rest">
            <ReceiptLine receipt={receipt} />
          </Shown>
          <Shown state="empty">
            <ReceiptLine receipt={{ requests: [], sent: [] }} />
          </Shown>
        </div>
      </Part>
      <Part name="Transaction">
        <div className={css.states}>
          <Shown state="rest">
            <TransactionView outcome={unchanged} keys={["PK", "SK"]} />
          </Shown>
        </div>
      </Part>
      <Part name="Problem">
        <div className={css.states}>
          {[refused, throttled, offline].map((problem) => (
            <Shown key={problem.body.code} state="error">
              <ProblemPanel error={problem} onRetry={nothing} />
            </Shown>
          ))}
        </div>
      </Part>
      <Part name="Waiting, Note">
        <div className={css.states}>
          <Shown state="loading">
            <Waiting onCancel={nothing} />
          </Shown>
          <Shown state="rest">
            <Note name="item" />
          </Shown>
        </div>
      </Part>
    </>
  );
}
