import { Layers, Lock, RotateCw } from "lucide-react";
import { useTranslations } from "use-intl";
import { Button } from "../../parts/Button";
import css from "./both.module.css";
import { NamePicker } from "./NamePicker";
import type { Words } from "./words";
import type { Action } from "./writes";

interface Props {
  source: string;
  target: string;
  words: Words;
  suggestions: { source: string[]; target: string[] };
  onMore: { source: (() => void) | undefined; target: (() => void) | undefined };
  /** Whether the edge is there; unknown until it was read once. */
  present: boolean | undefined;
  isBusy: boolean;
  readOnly: boolean;
  onWrite: (action: Action) => void;
  onChoose: (source: string, target: string) => void;
}

/** Who, whom, and what can be done about it. */
export function Recipe(props: Props) {
  const { source, target, words, suggestions, readOnly, onWrite } = props;
  // Until it is known the buttons are not seen, but take their place.
  const present = props.present ?? true;
  const t = useTranslations("both");
  const blocked = props.isBusy || readOnly || source === "" || target === "";
  return (
    <>
      <NamePicker
        id="pick-source"
        label={t("source")}
        value={source}
        suggestions={suggestions.source}
        onMore={props.onMore.source}
        onChoose={(id) => props.onChoose(id, target)}
      />
      <span className={css.verb}>{words.verb}</span>
      <NamePicker
        id="pick-target"
        label={t("target")}
        value={target}
        suggestions={suggestions.target}
        onMore={props.onMore.target}
        onChoose={(id) => props.onChoose(source, id)}
      />
      <span className={css.writes} data-known={props.present !== undefined || undefined}>
        <Button
          tone={present ? "plain" : "primary"}
          isDisabled={blocked}
          onPress={() => onWrite({ kind: present ? "unlink" : "link" })}
        >
          {present ? words.unlink : words.link}
        </Button>
        <Button tone="quiet" isDisabled={blocked || !present} onPress={() => onWrite({ kind: "again" })}>
          <RotateCw aria-hidden size="1em" /> {t("sendAgain")}
        </Button>
        <Button tone="quiet" isDisabled={blocked} onPress={() => onWrite({ kind: "sixteen" })}>
          <Layers aria-hidden size="1em" /> {t("sixteen")}
        </Button>
      </span>
      {readOnly && (
        <span className={css.why}>
          <Lock aria-hidden size="1em" /> {t("readOnlyWhy")}
        </span>
      )}
    </>
  );
}
