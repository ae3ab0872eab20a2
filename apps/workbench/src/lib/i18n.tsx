import { type ReactNode, useLayoutEffect, useMemo } from "react";
import { I18nProvider } from "react-aria-components";
import { IntlProvider } from "use-intl";
import en from "../messages/en.json";
import es from "../messages/es.json";
import ja from "../messages/ja.json";
import zhHant from "../messages/zh-Hant.json";
import { pseudo } from "./pseudo";
import { type Locale, useSettings } from "./settings";

export type Messages = typeof en;
declare module "use-intl" {
  interface AppConfig {
    Messages: Messages;
  }
}

/** A language that lacks a key does not compile. */
const catalogue: Record<Exclude<Locale, "en-XA">, Messages> = { en, es, ja, "zh-Hant": zhHant };
const ariaLocale: Record<Locale, string> = {
  en: "en-US",
  "en-XA": "en-US",
  es: "es-ES",
  ja: "ja-JP",
  "zh-Hant": "zh-TW",
};
const messagesOf = (locale: Locale) => (locale === "en-XA" ? pseudo(en) : catalogue[locale]);

export function Language({ children }: { children: ReactNode }) {
  const { locale, theme, density } = useSettings();
  const messages = useMemo(() => messagesOf(locale), [locale]);
  useLayoutEffect(() => {
    document.documentElement.lang = locale;
    document.documentElement.dataset.theme = theme;
    document.documentElement.dataset.density = density;
  }, [locale, theme, density]);
  return (
    <IntlProvider locale={locale} messages={messages} timeZone="UTC">
      <I18nProvider locale={ariaLocale[locale]}>{children}</I18nProvider>
    </IntlProvider>
  );
}
