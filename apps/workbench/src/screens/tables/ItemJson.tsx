import { useState } from "react";
import { useTranslations } from "use-intl";
import type { Item } from "../../api/client";
import { PlainJsonError, parsePlain, printPlain } from "../../lib/plainJson";
import { Button } from "../../parts/Button";
import { isTyped } from "../../parts/valueText";
import css from "./inspector.module.css";

export type Form = "plain" | "dynamo";

interface Props {
  form: Form;
  item: Item;
  /** Without it the text is only shown. */
  onDone?: ((item: Item) => void) | undefined;
}

/** An item as text, plain or DynamoDB JSON. What is typed is staged only when it is an item. */
export function ItemJson({ form, item, onDone }: Props) {
  const t = useTranslations("tables");
  const printed = form === "plain" ? printPlain(item) : JSON.stringify(item, null, 2);
  const [draft, setDraft] = useState<string | null>(null);
  const text = draft ?? printed;
  const parsed = draft === null ? null : parse(form, draft, item);
  const fault =
    parsed !== null && "fault" in parsed
      ? t(`jsonFault.${parsed.fault}`, { line: draft?.slice(0, parsed.at).split("\n").length ?? 1 })
      : null;
  if (onDone === undefined) return <pre className={css.raw}>{printed}</pre>;
  return (
    <div className={css.json}>
      <textarea
        aria-label={t(form === "plain" ? "plainJson" : "json")}
        aria-invalid={fault !== null}
        aria-describedby="item-json-fault"
        spellCheck={false}
        rows={Math.min(24, text.split("\n").length + 1)}
        value={text}
        onChange={(event) => setDraft(event.target.value)}
      />
      <p id="item-json-fault" className={css.fault} aria-live="polite">
        {fault}
      </p>
      <p className={css.actions}>
        <Button
          tone="primary"
          isDisabled={parsed === null || "fault" in parsed}
          onPress={() => {
            if (parsed !== null && "item" in parsed) onDone(parsed.item);
            setDraft(null);
          }}
        >
          {t("stage")}
        </Button>
        {draft !== null && (
          <Button tone="quiet" onPress={() => setDraft(null)}>
            {t("revert")}
          </Button>
        )}
      </p>
    </div>
  );
}

type Parsed = { item: Item } | { fault: PlainJsonError["fault"] | "dynamo"; at: number };

function parse(form: Form, text: string, before: Item): Parsed {
  if (form === "plain")
    try {
      return { item: parsePlain(text, before) };
    } catch (error) {
      if (error instanceof PlainJsonError) return { fault: error.fault, at: error.at };
      throw error;
    }
  try {
    const item: unknown = JSON.parse(text);
    return isTyped({ M: item }) ? { item: item as Item } : { fault: "dynamo", at: 0 };
  } catch {
    return { fault: "plain", at: text.length };
  }
}
