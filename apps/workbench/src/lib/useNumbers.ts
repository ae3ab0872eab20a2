import { useFormatter } from "use-intl";

/** Digits that a double holds exactly. */
const EXACT_DIGITS = 15;

/** Counts and units as the session's language writes them. A text that is no number, or too long for one, stays. */
export function useNumbers(): (value: string | number) => string {
  const format = useFormatter();
  return (value) => {
    const text = String(value);
    if (!/^\d+(\.\d+)?$/.test(text) || text.length > EXACT_DIGITS) return text;
    return format.number(Number(text), { maximumFractionDigits: 3 });
  };
}
