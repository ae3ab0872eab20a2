import { queryOptions, useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleX, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { api, ask } from "../../api/client";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import css from "./model.module.css";

const modelQuery = (connection: string, model: string) =>
  queryOptions({
    queryKey: ["model", connection, model],
    queryFn: ({ signal }) =>
      ask(api.GET("/c/{connection}/models/{model}", { params: { path: { connection, model } }, signal })),
  });

const checkQuery = (connection: string, model: string) =>
  queryOptions({
    queryKey: ["check", connection, model],
    queryFn: ({ signal }) =>
      ask(
        api.GET("/c/{connection}/models/{model}/check", { params: { path: { connection, model } }, signal }),
      ),
  });

/** A model as one designs it: the reads, the keys that serve them, and the proof that they do. */
export function ModelScreen({ connection, name }: { connection: string; name: string }) {
  const t = useTranslations("model");
  const model = useQuery(modelQuery(connection, name));
  const check = useQuery(checkQuery(connection, name));
  const [file, setFile] = useState(false);
  const error = model.error ?? check.error;
  if (error) return <ProblemPanel error={error} onRetry={() => [model.refetch(), check.refetch()]} />;
  return (
    <div className={css.screen}>
      <header className={css.head}>
        <h1>{name}</h1>
        <Button tone="quiet" aria-pressed={file} onPress={() => setFile(!file)}>
          {file ? t("form") : "TOML"}
        </Button>
      </header>
      {file ? (
        <pre className={css.file}>{model.data?.toml}</pre>
      ) : (
        <>
          <section aria-label={t("keys")} className={css.keys}>
            <h2>{t("keys")}</h2>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t("entity")}</th>
                  <th scope="col">{t("partitionKey")}</th>
                  <th scope="col">{t("sortKey")}</th>
                </tr>
              </thead>
              <tbody>
                {model.data?.entities.map((entity) => (
                  <tr key={entity.name}>
                    <th scope="row">{entity.name}</th>
                    <td>{entity.pk}</td>
                    <td>{entity.sk}</td>
                  </tr>
                ))}
                {model.data?.relations.map((relation) => (
                  <tr key={relation.name} data-edge>
                    <th scope="row">
                      {relation.source} {relation.out} {relation.target}
                    </th>
                    <td>{relation.pk}</td>
                    <td>{relation.sk}</td>
                  </tr>
                ))}
                {model.data?.relations.map((relation) => (
                  <tr key={relation.name} data-inverse>
                    <th scope="row">
                      {relation.target} {relation.in} · {relation.index}
                    </th>
                    <td>{relation.index_pk}</td>
                    <td>{relation.index_sk}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
          <section aria-label={t("proof")} className={css.proof}>
            <h2>{t("proof")}</h2>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t("read")}</th>
                  <th scope="col">{t("operation")}</th>
                  <th scope="col">{t("key")}</th>
                  <th scope="col">{t("consistency")}</th>
                  <th scope="col">{t("cost")}</th>
                </tr>
              </thead>
              <tbody>
                {check.data?.patterns.map((p) => (
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
                    </td>
                    <td className={css.code}>{p.key}</td>
                    <td>{p.consistency}</td>
                    <td>{p.units}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <ul className={css.findings}>
              {check.data?.findings.map((finding) => (
                <li key={`${finding.title} ${finding.detail}`} data-level={finding.level}>
                  <TriangleAlert aria-hidden size="1em" /> <strong>{finding.title}</strong> {finding.detail}
                  {finding.hint && <p>{finding.hint}</p>}
                </li>
              ))}
            </ul>
          </section>
        </>
      )}
    </div>
  );
}
