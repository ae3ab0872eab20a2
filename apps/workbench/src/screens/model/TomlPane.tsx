import { useRef } from "react";
import { useTranslations } from "use-intl";
import type { Finding } from "./document";
import css from "./model.module.css";

interface Props {
  text: string;
  problems: Finding[];
  onText: (text: string) => void;
}

/** The model's text with its line numbers; lines at fault are marked. */
export function TomlPane({ text, problems, onText }: Props) {
  const t = useTranslations("model");
  const numbers = useRef<HTMLOListElement>(null);
  const levels = new Map(problems.flatMap((p) => (p.line ? [[p.line, p.level] as const] : [])));
  const lines = text.split("\n");
  return (
    <section className={css.file} aria-label="TOML">
      <ol ref={numbers} aria-hidden className={css.numbers}>
        {lines.map((_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line's number is what it is
          <li key={at} data-level={levels.get(at + 1)}>
            {at + 1}
          </li>
        ))}
      </ol>
      <textarea
        id="model-toml"
        aria-label={t("text")}
        aria-invalid={problems.some((p) => p.level === "error")}
        spellCheck={false}
        wrap="off"
        value={text}
        onChange={(event) => onText(event.target.value)}
        onScroll={(event) => {
          if (numbers.current) numbers.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </section>
  );
}
