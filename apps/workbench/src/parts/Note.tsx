import { X } from "lucide-react";
import { useTranslations } from "use-intl";
import { type Note as Name, useSettings } from "../lib/settings";
import { Button } from "./Button";
import css from "./note.module.css";

/** One sentence of the first run, pinned to what it is about, until it is dismissed. */
export function Note({ name }: { name: Name }) {
  const t = useTranslations("note");
  const { notesSeen, set } = useSettings();
  if (notesSeen.includes(name)) return null;
  return (
    <p className={css.note}>
      <span>{t(name)}</span>
      <Button
        tone="quiet"
        aria-label={t("dismiss", { note: t(name) })}
        onPress={() => set({ notesSeen: [...notesSeen, name] })}
      >
        <X aria-hidden size="1em" />
      </Button>
    </p>
  );
}
