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
  onDone: (value: AttributeValue) => void;
  onCancel: () => void;
}

/** Edits one typed value as text: the type is chosen beside it, and nothing is lost on the way. */
export function ValueEditor({ name, value, onDone, onCancel }: Props) {
  const t = useTranslations("value");
  const fault = useId();
  const started =
    value === undefined
      ? { type: "S" as TypeName, text: "" }
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
        {typeNames.map((n) => (
          <option key={n}>{n}</option>
        ))}
      </select>
      {lines ? (
        <textarea
          {...shared}
          ref={(el) => el?.focus()}
          rows={5}
          onChange={(event) => setText(event.target.value)}
        />
      ) : (
        <input {...shared} ref={(el) => el?.focus()} onChange={(event) => setText(event.target.value)} />
      )}
      <p id={fault} className={css.fault} aria-live="polite">
        {"fault" in parsed ? t(parsed.fault) : ""}
      </p>
      <Button tone="primary" isDisabled={"fault" in parsed} onPress={done}>
        {t("stage")}
      </Button>
      <Button tone="quiet" onPress={onCancel}>
        {t("cancel")}
      </Button>
    </div>
  );
}
