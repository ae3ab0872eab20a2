import type { KeyboardEvent } from "react";
import { useTranslations } from "use-intl";
import css from "./build.module.css";

interface Props {
  text: string;
  /** The characters at fault. */
  span: [number, number] | null;
  onChange: (text: string) => void;
  onSend: () => void;
}

/** The request as one writes or pastes it; what is wrong is underlined where it stands. */
export function RequestText({ text, span, onChange, onSend }: Props) {
  const t = useTranslations("build");
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      onSend();
    }
  };
  const [from, to] = span ?? [0, 0];
  return (
    <div className={css.editor}>
      <pre aria-hidden className={css.under}>
        {span !== null && text.slice(0, from)}
        {span !== null && <mark>{text.slice(from, to) || " "}</mark>}
        {`${text.slice(to)}\n`}
      </pre>
      <textarea
        aria-label={t("request")}
        aria-invalid={span !== null}
        aria-describedby="build-words"
        spellCheck={false}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={keys}
      />
    </div>
  );
}
