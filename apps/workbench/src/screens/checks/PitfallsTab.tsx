import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Copy } from "lucide-react";
import { useTranslations } from "use-intl";
import { api, ask, type Model } from "../../api/client";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import css from "./checks.module.css";

/** The traps that the model or its table is in, each with its evidence, what to do, and the way there. */
export function PitfallsTab({ connection, model }: { connection: string; model: Model }) {
  const t = useTranslations("checks");
  const doctor = useQuery({
    queryKey: ["doctor", connection, model.name],
    queryFn: ({ signal }) =>
      ask(
        api.GET("/c/{connection}/models/{model}/doctor", {
          params: { path: { connection, model: model.name } },
          signal,
        }),
      ),
  });
  if (doctor.error) return <ProblemPanel error={doctor.error} onRetry={() => doctor.refetch()} />;
  const { data } = doctor;
  if (data === undefined) return <p className={css.hint}>{t("looking")}</p>;
  return (
    <section aria-label={t("pitfalls")} className={css.tab}>
      <p role="status" className={css.hint}>
        {data.traps.length === 0 && t("noPitfalls")}{" "}
        {t(data.whole ? "lookedAll" : "looked", { n: data.sampled })}
      </p>
      <ul className={css.findings}>
        {data.traps.map((trap) => (
          <li key={`${trap.trap} ${trap.place} ${trap.evidence}`}>
            <p>
              <code>{trap.trap}</code> <strong>{trap.place}</strong> {trap.evidence}
            </p>
            <p>{trap.repair}</p>
            {trap.command ? (
              <p className={css.buttons}>
                <code>{trap.command}</code>
                <Button
                  tone="quiet"
                  aria-label={t("copyCommand")}
                  onPress={() => navigator.clipboard.writeText(trap.command ?? "")}
                >
                  <Copy aria-hidden size="1em" />
                </Button>
              </p>
            ) : (
              <Link to="/c/$connection/model/$model" params={{ connection, model: model.name }}>
                {t("mend")}
              </Link>
            )}
          </li>
        ))}
      </ul>
      <ReceiptLine receipt={data.receipt} />
    </section>
  );
}
