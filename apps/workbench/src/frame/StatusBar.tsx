import { History, Moon, Rows3, Rows4, Sun } from "lucide-react";
import { useTranslations } from "use-intl";
import { useLedger } from "../lib/ledger";
import { type Locale, locales, useSettings } from "../lib/settings";
import { fromHalves } from "../lib/units";
import { useNumbers } from "../lib/useNumbers";
import { Button } from "../parts/Button";
import css from "./frame.module.css";
import type { OverlayName } from "./overlays";

export const languageNames: Record<Locale, string> = {
  en: "English",
  "en-XA": "Éñglísh ···",
  es: "Español",
  ja: "日本語",
  "zh-Hant": "繁體中文",
};

/** What the session has cost so far, and how the pages look. */
export function StatusBar({ onOpen }: { onOpen: (overlay: OverlayName) => void }) {
  const t = useTranslations("status");
  const nav = useTranslations("nav");
  const ledger = useLedger();
  const number = useNumbers();
  const { locale, theme, density, set } = useSettings();
  const dark = theme === "dark";
  const roomy = density === "roomy";
  const listed: readonly Locale[] = locale === "en-XA" ? [...locales, locale] : locales;
  return (
    <footer className={css.statusBar}>
      <Button tone="quiet" onPress={() => onOpen("history")}>
        <History aria-hidden size="1em" />
        <span className="visually-hidden">{t("history")}</span>
        <strong>{t("session")}</strong>
        <span>{t("requests", { n: ledger.requests })}</span>
        <span>{number(fromHalves(ledger.readHalves))} RCU</span>
        <span>{number(fromHalves(ledger.writeHalves))} WCU</span>
        <span data-bad={ledger.scans > 0 || undefined}>{t("scans", { n: ledger.scans })}</span>
      </Button>
      <span className={css.spring} />
      <label>
        <span className="visually-hidden">{nav("language")}</span>
        <select value={locale} onChange={(event) => set({ locale: event.target.value as Locale })}>
          {listed.map((l) => (
            <option key={l} value={l} lang={l}>
              {languageNames[l]}
            </option>
          ))}
        </select>
      </label>
      <Button
        tone="quiet"
        aria-label={roomy ? nav("compact") : nav("roomy")}
        onPress={() => set({ density: roomy ? "compact" : "roomy" })}
      >
        {roomy ? <Rows4 aria-hidden size="1em" /> : <Rows3 aria-hidden size="1em" />}
      </Button>
      <Button
        tone="quiet"
        aria-label={dark ? nav("light") : nav("dark")}
        onPress={() => set({ theme: dark ? "light" : "dark" })}
      >
        {dark ? <Sun aria-hidden size="1em" /> : <Moon aria-hidden size="1em" />}
      </Button>
    </footer>
  );
}
