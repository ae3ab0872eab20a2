import { TriangleAlert } from "lucide-react";
import { useTranslations } from "use-intl";
import { Problem } from "../../api/client";
import { Button } from "../../parts/Button";
import { lineDiff } from "./lineDiff";
import css from "./model.module.css";

/** Whether an error says that another text was kept meanwhile. */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof Problem && error.body.code === "ModelChanged";

interface Props {
  /** What is kept now. */
  now: string;
  mine: string;
  /** Keeps mine over it; null while mine cannot be kept. */
  onMine: (() => void) | null;
  onTheirs: () => void;
}

/** Another page kept this model meanwhile: how what is there now and what was typed here differ, and the two ways on. */
export function Overtaken({ now, mine, onMine, onTheirs }: Props) {
  const t = useTranslations("model");
  return (
    <div className={css.overtaken} role="alert">
      <p>
        <TriangleAlert aria-hidden size="1em" /> <strong>{t("overtaken")}</strong> {t("overtakenHint")}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section className={css.diff} tabIndex={0} aria-label={t("difference")}>
        {lineDiff(now, mine).map((line, at) =>
          line.kind === "skip" ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line of a difference is its place
            <p key={at}>{t("sameLines", { n: line.lines })}</p>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line of a difference is its place
            <p key={at} data-kind={line.kind}>
              <span>{line.kind === "now" ? t("thereNow") : line.kind === "mine" ? t("yours") : ""}</span>
              <code>{line.text}</code>
            </p>
          ),
        )}
      </section>
      <p className={css.buttons}>
        <Button onPress={onTheirs}>{t("takeTheirs")}</Button>
        <Button isDisabled={onMine === null} onPress={() => onMine?.()}>
          {t("keepMine")}
        </Button>
      </p>
    </div>
  );
}
