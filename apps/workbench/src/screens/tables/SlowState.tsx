import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../../parts/Button";
import css from "./grid.module.css";

/** Nothing at first; skeleton rows after 120 ms; after a second the time, how far it is, and a way out, which stands before what grows. */
export function SlowState({ scanned, onCancel }: { scanned: number; onCancel: () => void }) {
  const t = useTranslations("tables");
  const state = useTranslations("state");
  const [tenths, setTenths] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => setTenths((n) => n + 1), 100);
    return () => window.clearInterval(timer);
  }, []);
  if (tenths < 2) return null;
  return (
    <div className={css.skeleton} role="status">
      <span className="visually-hidden">{state("loading")}</span>
      {tenths > 10 && (
        <>
          <Button onPress={onCancel}>{state("cancel")}</Button>
          <span>{t("running", { seconds: Math.floor(tenths / 10), n: scanned })}</span>
        </>
      )}
    </div>
  );
}
