import { useTranslations } from "use-intl";
import { useNumbers } from "../../lib/useNumbers";
import css from "./both.module.css";

/** A counter that rolls to its new value. */
export function Counter({ value }: { value: string }) {
  const t = useTranslations("both");
  const number = useNumbers();
  return (
    <output className={css.counter} title={value} aria-label={t("counter", { n: value })}>
      <span key={value}>{number(value)}</span>
    </output>
  );
}
