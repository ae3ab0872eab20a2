import { create } from "zustand";
import { persist } from "zustand/middleware";

export const locales = ["en", "es", "ja", "zh-Hant"] as const;
export type Locale = (typeof locales)[number];
export type Theme = "light" | "dark";

interface Settings {
  locale: Locale;
  theme: Theme;
  notesSeen: boolean;
  set: (change: Partial<Pick<Settings, "locale" | "theme" | "notesSeen">>) => void;
}

function preferredLocale(): Locale {
  for (const tag of navigator.languages) {
    if (/^zh\b.*(Hant|TW|HK|MO)/.test(tag)) return "zh-Hant";
    const found = locales.find((l) => tag === l || tag.startsWith(`${l}-`));
    if (found) return found;
  }
  return "en";
}

const prefersDark = () => window.matchMedia("(prefers-color-scheme: dark)").matches;

/** Language, theme and dismissed notes: kept in the browser, never sent. */
export const useSettings = create<Settings>()(
  persist(
    (set) => ({
      locale: preferredLocale(),
      theme: prefersDark() ? "dark" : "light",
      notesSeen: false,
      set,
    }),
    {
      name: "bothways.settings",
      partialize: ({ locale, theme, notesSeen }) => ({ locale, theme, notesSeen }),
    },
  ),
);
