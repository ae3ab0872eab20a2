import { create } from "zustand";
import { persist } from "zustand/middleware";

export const locales = ["en", "es", "ja", "zh-Hant"] as const;
/** `en-XA` is English made longer, to find what is cut: reached by its address in storage only. */
export type Locale = (typeof locales)[number] | "en-XA";
export type Theme = "light" | "dark";
export type Density = "compact" | "roomy";
/** The three notes of the first run, each dismissed on its own. */
export type Note = "item" | "counter" | "receipt";

interface Kept {
  locale: Locale;
  theme: Theme;
  density: Density;
  /** The rail shows words beside its icons. */
  pinned: boolean;
  /** Single keys do things; off for people whose input sends them by accident. */
  singleKeys: boolean;
  notesSeen: Note[];
}

interface Settings extends Kept {
  set: (change: Partial<Kept>) => void;
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

/** Language, look and dismissed notes: kept in the browser, never sent. */
export const useSettings = create<Settings>()(
  persist(
    (set) => ({
      locale: preferredLocale(),
      theme: prefersDark() ? "dark" : "light",
      density: "compact",
      pinned: true,
      singleKeys: true,
      notesSeen: [],
      set,
    }),
    { name: "bothways.settings", version: 1, partialize: ({ set: _, ...kept }) => kept },
  ),
);
