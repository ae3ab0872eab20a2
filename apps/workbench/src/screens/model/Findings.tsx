import { CircleX, TriangleAlert } from "lucide-react";
import { useTranslations } from "use-intl";
import { Button } from "../../parts/Button";
import type { Finding } from "./document";
import css from "./model.module.css";

/** What is wrong with a model and what will cost, each with the line where it is mended. */
export function Findings({ findings, onShow }: { findings: Finding[]; onShow: () => void }) {
  const t = useTranslations("model");
  if (findings.length === 0) return null;
  return (
    <ul className={css.findings} aria-label={t("findings")}>
      {findings.map((finding) => (
        <li key={`${finding.title} ${finding.detail}`} data-level={finding.level}>
          {finding.level === "error" ? (
            <CircleX aria-label={t("fails")} size="1em" />
          ) : (
            <TriangleAlert aria-label={t("warns")} size="1em" />
          )}{" "}
          <strong>{finding.title}</strong> {finding.detail}
          {finding.hint && <code> {finding.hint}</code>}
          {finding.line && (
            <Button
              tone="quiet"
              onPress={() => {
                onShow();
                requestAnimationFrame(() => document.getElementById("model-toml")?.focus());
              }}
            >
              {t("line", { line: finding.line })}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
