import { type KeyboardEvent, useId, useState } from "react";
import { useTranslations } from "use-intl";
import type { AttributeValue } from "../api/client";
import { open, type TypeName } from "../lib/value";
import { Button } from "./Button";
import css from "./editor.module.css";
import { parseValue, typedText, typeNames } from "./valueText";

interface Props {
  name: string;
  value: AttributeValue | undefined;
  /** Types to choose from; a key has one. */
  types?: TypeName[];
  /** What committing this will mean, where that is more than a changed value. */
  note?: string | undefined;
  onDone: (value: AttributeValue) => void;
  onCancel: () => void;
}

/** Chosen whole, as in a sheet: typing replaces the value, an arrow keeps it. */
const focusOnce = (el: HTMLInputElement | HTMLTextAreaElement | null) => {
  el?.focus();
  if (el instanceof HTMLInputElement) el.select();
};

/** Edits one typed value as text: the type is chosen beside it, and nothing is lost on the way. */
export function ValueEditor({ name, value, types = typeNames, note, onDone, onCancel }: Props) {
  const t = useTranslations("value");
  const fault = useId();
  const started =
    value === undefined
      ? { type: types[0] ?? ("S" as TypeName), text: "" }
      : { type: open(value).type, text: typedText(value) };
  const [type, setType] = useState<TypeName>(started.type);
  const [text, setText] = useState(started.text);
  const parsed = parseValue(type, text);
  const done = () => {
    if ("value" in parsed) onDone(parsed.value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      done();
    } else if (event.key === "Escape") onCancel();
    else return;
    event.stopPropagation();
  };
  const lines = type === "M" || type === "L" || type.length === 2 || text.length > 80;
  const shared = {
    value: text,
    "aria-label": name,
    "aria-invalid": "fault" in parsed,
    "aria-describedby": fault,
    spellCheck: false,
    onKeyDown,
  };
  return (
    <div className={css.editor}>
      <select
        aria-label={t("type", { name })}
        value={type}
        onChange={(event) => setType(event.target.value as TypeName)}
      >
        {types.map((n) => (
          <option key={n}>{n}</option>
        ))}
      </select>
      {lines ? (
        <textarea {...shared} ref={focusOnce} rows={5} onChange={(event) => setText(event.target.value)} />
      ) : (
        <input {...shared} ref={focusOnce} onChange={(event) => setText(event.target.value)} />
      )}
      <p id={fault} className={css.fault} aria-live="polite">
        {"fault" in parsed ? t(parsed.fault) : ""}
      </p>
      {note && <p className={css.note}>{note}</p>}
      <Button tone="primary" isDisabled={"fault" in parsed} onPress={done}>
        {t("stage")}
      </Button>
      <Button tone="quiet" onPress={onCancel}>
        {t("cancel")}
      </Button>
    </div>
  );
}
