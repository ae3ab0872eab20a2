import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import { api, ask, type Model } from "../../api/client";
import type { components } from "../../api/schema.gen";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { Waiting } from "../../parts/Waiting";
import type { TableInfo } from "../tables/schema";
import { emptySearch } from "../tables/search";
import css from "./checks.module.css";
import { keyOfWords } from "./drift";

interface Props {
  connection: string;
  readOnly: boolean;
  model: Model;
  table: TableInfo;
}

/** Counters and keys compared with the edges that are there, and mended. */
export function CountersTab({ connection, readOnly, model, table }: Props) {
  const t = useTranslations("checks");
  const client = useQueryClient();
  const verify = useMutation({
    mutationFn: ({ repair, signal }: { repair: boolean; signal: AbortController }) =>
      ask(
        api.POST("/c/{connection}/models/{model}/verify", {
          params: { path: { connection, model: model.name } },
          body: { repair },
          signal: signal.signal,
        }),
      ),
    onSuccess: (_, { repair }) => repair && client.invalidateQueries(),
  });
  const begin = (repair: boolean) => verify.mutate({ repair, signal: new AbortController() });
  const found = verify.data;
  return (
    <section aria-label={t("counters")} className={css.tab}>
      {!readOnly && (
        <p className={css.buttons}>
          <Button tone="primary" isDisabled={verify.isPending} onPress={() => begin(false)}>
            {t("verify")}
          </Button>
          {found && found.wrong > found.repaired && (
            <Button isDisabled={verify.isPending} onPress={() => begin(true)}>
              {t("repair")}
            </Button>
          )}
        </p>
      )}
      {verify.isPending && <Waiting onCancel={() => verify.variables?.signal.abort()} />}
      {verify.error && verify.error.name !== "AbortError" && (
        <ProblemPanel error={verify.error} onRetry={() => begin(verify.variables?.repair ?? false)} />
      )}
      {found && !verify.isPending && (
        <>
          <p role="status">
            {found.wrong === 0
              ? t("clean", { counters: found.counters, entities: found.entities, edges: found.edges })
              : t("wrong", { wrong: found.wrong, repaired: found.repaired })}{" "}
            {found.busy > 0 && t("busy", { n: found.busy })}{" "}
            {found.foreign > 0 && t("foreign", { n: found.foreign })}
          </p>
          {found.findings.length > 0 && (
            <Drifts connection={connection} table={table} findings={found.findings} />
          )}
          <ReceiptLine receipt={found.receipt} />
        </>
      )}
    </section>
  );
}

type Drift = components["schemas"]["Drift"];

function Drifts({
  connection,
  table,
  findings,
}: {
  connection: string;
  table: TableInfo;
  findings: Drift[];
}) {
  const t = useTranslations("checks");
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t("item")}</th>
          <th scope="col">{t("what")}</th>
          <th scope="col">{t("result")}</th>
        </tr>
      </thead>
      <tbody>
        {findings.map(({ kind, key, what, repaired }) => {
          const item = keyOfWords(table, key);
          return (
            <tr key={`${kind} ${key} ${what}`}>
              <th scope="row">
                <code>{key}</code>
              </th>
              <td>{what}</td>
              <td>
                {repaired && <span data-pass>{t("mended")} </span>}
                {item && (
                  <Link
                    to="/c/$connection/tables/$table"
                    params={{ connection, table: table.name }}
                    search={{ ...emptySearch, item }}
                  >
                    {t("open")}
                  </Link>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
