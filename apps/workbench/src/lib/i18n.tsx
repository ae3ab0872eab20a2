import { type ReactNode, useEffect } from "react";
import { I18nProvider } from "react-aria-components";
import { IntlProvider } from "use-intl";
import en from "../messages/en.json";
import es from "../messages/es.json";
import ja from "../messages/ja.json";
import zhHant from "../messages/zh-Hant.json";
import { type Locale, useSettings } from "./settings";

export type Messages = typeof en;
declare module "use-intl" {
  interface AppConfig {
    Messages: Messages;
  }
}

/** A language that lacks a key does not compile. */
const catalogue: Record<Locale, Messages> = { en, es, ja, "zh-Hant": zhHant };
const ariaLocale: Record<Locale, string> = { en: "en-US", es: "es-ES", ja: "ja-JP", "zh-Hant": "zh-TW" };

export function Language({ children }: { children: ReactNode }) {
  const { locale, theme } = useSettings();
  useEffect(() => {
    document.documentElement.lang = locale;
    document.documentElement.dataset.theme = theme;
  }, [locale, theme]);
  return (
    <IntlProvider locale={locale} messages={catalogue[locale]} timeZone="UTC">
      <I18nProvider locale={ariaLocale[locale]}>{children}</I18nProvider>
    </IntlProvider>
  );
}
