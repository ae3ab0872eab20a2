import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../../parts/Button";
import css from "./tables.module.css";

/** Nothing at first; skeleton rows after 120 ms; after a second the time and a way out. */
export function SlowState({ onCancel }: { onCancel: () => void }) {
  const t = useTranslations("state");
  const [tenths, setTenths] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => setTenths((n) => n + 1), 100);
    return () => window.clearInterval(timer);
  }, []);
  if (tenths < 2) return null;
  return (
    <div className={css.skeleton} role="status">
      <span className="visually-hidden">{t("loading")}</span>
      {tenths > 10 && <span>{(tenths / 10).toFixed(0)} s</span>}
      {tenths > 10 && <Button onPress={onCancel}>{t("cancel")}</Button>}
    </div>
  );
}
