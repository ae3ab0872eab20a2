import { useTranslations } from "use-intl";
import css from "./both.module.css";

/** A counter that rolls to its new value. */
export function Counter({ value }: { value: string }) {
  const t = useTranslations("both");
  return (
    <output className={css.counter} title={value} aria-label={t("counter", { n: value })}>
      <span key={value}>{value}</span>
    </output>
  );
}
