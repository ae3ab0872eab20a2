import { CircleSlash, TriangleAlert } from "lucide-react";
import { useTranslations } from "use-intl";
import { Problem, type ProblemBody } from "../api/client";
import { Button } from "./Button";
import { ItemTable } from "./ItemTable";
import css from "./problem.module.css";

/** What can be done about an error that has no hint of its own, by the code that DynamoDB gives it. */
const hints = [
  [/^(ProvisionedThroughputExceeded|Throttling|RequestLimitExceeded|ThrottlingException)/, "throttled"],
  [/^(ExpiredToken|UnrecognizedClient|InvalidSignature|CredentialsUnavailable)/, "expired"],
  [/^AccessDenied/, "denied"],
  [/^ConditionalCheckFailed/, "condition"],
  [/^ResourceNotFound/, "noTable"],
  [/^Transaction(Conflict|InProgress)/, "conflict"],
] as const;

/** An error in place of the data: DynamoDB's words, below them ours, and what to do. */
export function ProblemPanel({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const t = useTranslations("state");
  const hint = useTranslations("hint");
  const body: ProblemBody =
    error instanceof Problem
      ? error.body
      : { code: "", message: error instanceof Error ? error.message : String(error) };
  const own = body.code === "offline" || body.code === "cancelled" ? body.code : null;
  const [, known] = hints.find(([code]) => code.test(body.code)) ?? [];
  const advice = own === null ? (body.hint ?? (known && hint(known))) : t(`${own}Hint`);
  const Icon = own === "cancelled" ? CircleSlash : TriangleAlert;
  return (
    <div className={css.problem} role="alert">
      <p className={css.words}>
        <Icon aria-hidden size="1em" /> <strong>{own === null ? body.code : t(own)}</strong>{" "}
        {own === null && body.message}
      </p>
      {advice && <p className={css.hint}>{advice}</p>}
      {body.item && (
        <>
          <p className={css.hint}>{t("itemInTheWay")}</p>
          <ItemTable item={body.item} />
        </>
      )}
      {onRetry && <Button onPress={onRetry}>{t("retry")}</Button>}
    </div>
  );
}
