import { X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import type { AttributeValue, Item } from "../../api/client";
import { text } from "../../lib/value";
import { Button } from "../../parts/Button";
import { parseValue } from "../../parts/valueText";
import css from "./inspector.module.css";
import { partsOf, type TableInfo } from "./schema";

interface Props {
  table: TableInfo;
  /** An item whose attributes the new one takes; its keys are to be changed. */
  from: Item | null;
  onStage: (item: Item) => void;
  onClose: () => void;
}

/** A new item begins with its key; its attributes follow in the inspector. */
export function NewItem({ table, from, onStage, onClose }: Props) {
  const t = useTranslations("tables");
  const words = useTranslations("value");
  const parts = partsOf(table.keys);
  const start = (name: string) => (from?.[name] ? text(from[name] as AttributeValue) : "");
  const [texts, setTexts] = useState(() => parts.map((part) => start(part.name)));
  const parsed = parts.map((part, at) => parseValue(part.type, texts[at] ?? ""));
  const ready = parsed.every((each) => "value" in each) && texts.every((each) => each !== "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    const key = parts.map((part, at) => [part.name, (parsed[at] as { value: AttributeValue }).value]);
    onStage({ ...from, ...Object.fromEntries(key) });
  };
  return (
    <aside className={css.inspector} aria-label={t("newItem")}>
      <header className={css.head}>
        <h2>{t("newItem")}</h2>
        <Button tone="quiet" aria-label={t("close")} onPress={onClose}>
          <X aria-hidden size="1em" />
        </Button>
      </header>
      <form className={css.newKeys} onSubmit={submit}>
        {parts.map((part, at) => {
          const found = parsed[at];
          const fault = texts[at] !== "" && found && "fault" in found ? words(found.fault) : "";
          return (
            <label key={part.name}>
              <span>
                {part.name} <small>{part.type}</small>
              </span>
              <input
                value={texts[at]}
                spellCheck={false}
                ref={at === 0 ? focusFirst : undefined}
                aria-invalid={fault !== ""}
                onChange={(event) => setTexts(texts.with(at, event.target.value))}
              />
              <span className={css.fault}>{fault}</span>
            </label>
          );
        })}
        <p className={css.hint}>{t("newItemHint")}</p>
        <Button type="submit" tone="primary" isDisabled={!ready}>
          {t("stage")}
        </Button>
      </form>
    </aside>
  );
}

const focusFirst = (el: HTMLInputElement | null) => el?.focus();
