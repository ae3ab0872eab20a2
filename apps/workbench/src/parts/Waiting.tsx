import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "./Button";
import css from "./waiting.module.css";

const SKELETON_TENTHS = 2;
const SLOW_TENTHS = 10;
const ROWS = 3;

/** Nothing at first; rows without words after 120 ms or so; after a second the time and a way out. */
export function Waiting({ onCancel }: { onCancel: () => void }) {
  const t = useTranslations("state");
  const [tenths, setTenths] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => setTenths((n) => n + 1), 100);
    return () => window.clearInterval(timer);
  }, []);
  const slow = tenths >= SLOW_TENTHS;
  return (
    <div className={css.waiting} data-shown={tenths >= SKELETON_TENTHS || undefined} role="status">
      <span className="visually-hidden">{t("loading")}</span>
      {Array.from({ length: ROWS }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows that stand for nothing
        <i key={i} aria-hidden />
      ))}
      {slow && (
        <p>
          {t("since", { n: Math.floor(tenths / 10) })} <Button onPress={onCancel}>{t("cancel")}</Button>
        </p>
      )}
    </div>
  );
}
