import { TriangleAlert } from "lucide-react";
import { useTranslations } from "use-intl";
import { Problem } from "../api/client";
import { Button } from "./Button";
import { ItemTable } from "./ItemTable";
import css from "./problem.module.css";

/** An error in place of the data: DynamoDB's words, below them ours, and what to do. */
export function ProblemPanel({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const t = useTranslations("state");
  const body = error instanceof Problem ? error.body : { code: "unknown", message: String(error) };
  const offline = body.code === "offline";
  return (
    <div className={css.problem} role="alert">
      <p className={css.words}>
        <TriangleAlert aria-hidden size="1em" /> <strong>{offline ? t("offline") : body.code}</strong>{" "}
        {!offline && body.message}
      </p>
      <p className={css.hint}>{offline ? t("offlineHint") : "hint" in body ? body.hint : null}</p>
      {"item" in body && body.item && (
        <>
          <p className={css.hint}>{t("itemInTheWay")}</p>
          <ItemTable item={body.item} />
        </>
      )}
      {onRetry && <Button onPress={onRetry}>{t("retry")}</Button>}
    </div>
  );
}
