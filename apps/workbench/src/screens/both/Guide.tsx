import { ArrowLeftRight, Layers, RotateCw } from "lucide-react";
import { useTranslations } from "use-intl";
import css from "./both.module.css";
import type { Words } from "./words";

/** What each button above does, as long as none was pressed. */
export function Guide({ words, present }: { words: Words; present: boolean }) {
  const t = useTranslations("both");
  return (
    <section className={css.guide} aria-label={t("guide")}>
      <dl>
        <dt>{present ? words.unlink : words.link}</dt>
        <dd>{t(present ? "guideUnlink" : "guideLink")}</dd>
        {present && (
          <>
            <dt>
              <RotateCw aria-hidden size="1em" /> {t("sendAgain")}
            </dt>
            <dd>{t("guideAgain")}</dd>
          </>
        )}
        <dt>
          <Layers aria-hidden size="1em" /> {t("sixteen")}
        </dt>
        <dd>{t("guideSixteen")}</dd>
      </dl>
      <p>
        <ArrowLeftRight aria-hidden size="1em" /> {t("guideRows")}
      </p>
    </section>
  );
}
