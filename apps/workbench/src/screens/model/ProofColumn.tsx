import { CircleCheck, CircleX } from "lucide-react";
import { useTranslations } from "use-intl";
import type { Proof } from "../tables/reads";
import css from "./model.module.css";

const known = (word: string): word is "strong" | "eventual" => word === "strong" || word === "eventual";

/** Each read with the request that serves it, its key, how fresh it is and what it costs. */
export function ProofColumn({ patterns }: { patterns: Proof[] }) {
  const t = useTranslations("model");
  const receipt = useTranslations("receipt");
  return (
    <section aria-label={t("proof")} className={css.proof}>
      <h2>{t("proof")}</h2>
      <p className={css.hint}>{t("proofHint")}</p>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("read")}</th>
            <th scope="col">{t("operation")}</th>
            <th scope="col">{t("cost")}</th>
          </tr>
        </thead>
        <tbody>
          {patterns.map((p) => (
            <tr key={`${p.name} ${p.operation} ${p.key}`}>
              <th scope="row">
                {p.ok ? (
                  <CircleCheck aria-label={t("proved")} size="1em" />
                ) : (
                  <CircleX aria-label={t("fails")} size="1em" />
                )}{" "}
                {p.name}
              </th>
              <td>
                {p.operation}
                {p.index ? ` · ${p.index}` : ""}
                {p.consistency !== "write" &&
                  ` · ${known(p.consistency) ? receipt(p.consistency) : p.consistency}`}
                {p.key.split("; ").map((key) => (
                  <span key={key} className={css.code}>
                    {key}
                  </span>
                ))}
              </td>
              <td>
                {p.units}
                {p.items > 1 && <small>{t("forItems", { n: p.items })}</small>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
