import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouter } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { useTranslations } from "use-intl";
import { type Command, useCommands, useKeyboard } from "../lib/commands";
import { modelHref, relationHref } from "../lib/places";
import { locales, useSettings } from "../lib/settings";
import { Sheet } from "../parts/Sheet";
import css from "./frame.module.css";
import { HistoryPanel } from "./HistoryPanel";
import { useHere } from "./here";
import { KeySheet } from "./KeySheet";
import type { OverlayName } from "./overlays";
import { Palette } from "./Palette";
import { Rail } from "./Rail";
import { languageNames, StatusBar } from "./StatusBar";
import { screens } from "./screens";
import { TopBar } from "./TopBar";
import { TroubleBar } from "./TroubleBar";
import { useTitle } from "./useTitle";

/** Rail, top bar, content and the status bar that sums up the session; over them one overlay at a time. */
export function Frame() {
  const t = useTranslations("nav");
  const pinned = useSettings((s) => s.pinned);
  const [overlay, setOverlay] = useState<OverlayName | null>(null);
  const close = useCallback(() => setOverlay(null), []);
  useKeyboard(overlay !== null);
  useTitle();
  useCommands(useFrameCommands(setOverlay));
  return (
    <div className={css.frame}>
      <a className={css.skip} href="#content">
        {t("skip")}
      </a>
      <Rail pinned={pinned} />
      <TopBar onOpen={setOverlay} />
      <main className={css.content} id="content" tabIndex={-1}>
        <TroubleBar />
        <Outlet />
      </main>
      <StatusBar onOpen={setOverlay} />
      {overlay === "palette" && <Palette onClose={close} />}
      {overlay === "keys" && <KeySheet onClose={close} />}
      {overlay === "history" && <HistoryPanel onClose={close} />}
      {overlay === "rail" && (
        <Sheet title={t("main")} side="left" onClose={close}>
          <Rail pinned onGo={close} />
        </Sheet>
      )}
    </div>
  );
}

/** What can be done on every screen. */
function useFrameCommands(open: (overlay: OverlayName | null) => void): Command[] {
  const t = useTranslations("nav");
  const palette = useTranslations("palette");
  const status = useTranslations("status");
  const here = useHere();
  const router = useRouter();
  const client = useQueryClient();
  const { theme, density, set } = useSettings();
  const go = (href: string) => router.history.push(href);
  const [dark, roomy] = [theme === "dark", density === "roomy"];
  return [
    {
      id: "palette",
      group: "actions",
      label: palette("title"),
      keys: "mod+k",
      always: true,
      run: () => open("palette"),
    },
    { id: "keys", group: "actions", label: palette("keysTitle"), keys: "?", run: () => open("keys") },
    { id: "history", group: "actions", label: status("history"), keys: "g h", run: () => open("history") },
    {
      id: "read-again",
      group: "actions",
      label: palette("readAgain"),
      keys: "r",
      run: () => void client.invalidateQueries(),
    },
    {
      id: "back",
      group: "actions",
      label: palette("back"),
      keys: "Backspace",
      run: () => router.history.back(),
    },
    ...screens.flatMap((screen): Command[] => {
      const href = screen.href(here.connection, here.model, here.place);
      if (href === null) return [];
      const { id, keys } = screen;
      return [{ id: `screen/${id}`, group: "screens", label: t(id), keys, run: () => go(href) }];
    }),
    ...here.models.flatMap((model): Command[] => [
      {
        id: `model/${model.name}`,
        group: "models",
        label: palette("model", { model: model.name }),
        run: () => go(modelHref(here.connection, model.name)),
      },
      ...model.relations.map(
        (relation): Command => ({
          id: `relation/${model.name}/${relation.name}`,
          group: "models",
          label: palette("relation", { model: model.name, relation: relation.name }),
          run: () => go(relationHref(here.connection, model, relation)),
        }),
      ),
    ]),
    {
      id: "theme",
      group: "settings",
      label: dark ? t("light") : t("dark"),
      run: () => set({ theme: dark ? "light" : "dark" }),
    },
    {
      id: "density",
      group: "settings",
      label: roomy ? t("compact") : t("roomy"),
      run: () => set({ density: roomy ? "compact" : "roomy" }),
    },
    ...locales.map(
      (locale): Command => ({
        id: `language/${locale}`,
        group: "settings",
        label: languageNames[locale],
        run: () => set({ locale }),
      }),
    ),
  ];
}
