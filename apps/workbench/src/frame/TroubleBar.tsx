import { useQueryClient } from "@tanstack/react-query";
import { KeyRound, PlugZap } from "lucide-react";
import { useTranslations } from "use-intl";
import { useLedger } from "../lib/ledger";
import { Button } from "../parts/Button";
import css from "./frame.module.css";

/** On top while nobody answers or credentials have expired: what was read stays below it, greyed. */
export function TroubleBar() {
  const t = useTranslations("state");
  const trouble = useLedger((l) => l.trouble);
  const client = useQueryClient();
  if (trouble === null) return null;
  const Icon = trouble === "offline" ? PlugZap : KeyRound;
  return (
    <div className={css.trouble} role="status">
      <Icon aria-hidden size="1.25em" />
      <strong>{t(trouble)}</strong>
      <span>{t(trouble === "offline" ? "offlineHint" : "expiredHint")}</span>
      <Button onPress={() => void client.invalidateQueries()}>{t("retry")}</Button>
    </div>
  );
}
