import { useTranslations } from "use-intl";
import type { Model } from "../../api/client";
import { type Finding, type Places, valueAt } from "./document";
import css from "./model.module.css";

interface Props {
  model: Model;
  text: string;
  /** Where everything is in the text; while that is not known nothing can be changed here. */
  places: Places | undefined;
  problems: Finding[];
  onSet: (path: string, value: string) => void;
}

/** The keys of every entity and relation; a template is changed where it stands. */
export function KeysColumn({ model, text, places, problems, onSet }: Props) {
  const t = useTranslations("model");
  const field = (path: string, value: string, label: string) => {
    const place = path.replace(/^(entity|relation)\.([^.]+)\./, "$1 $2, ");
    const problem = problems.find((p) => p.level === "error" && p.title === place);
    const written = valueAt(text, places, path);
    if (written === undefined) return <code>{value}</code>;
    return (
      <>
        <input
          aria-label={label}
          aria-invalid={problem !== undefined}
          value={written}
          spellCheck={false}
          onChange={(event) => onSet(path, event.target.value)}
        />
        {problem && <span className={css.fault}>{problem.detail}</span>}
      </>
    );
  };
  const [pk = "PK", sk = "SK"] = model.relations[0]?.key_names ?? [];
  /** A template behind the name of the attribute that it makes. */
  const named = (attribute: string, path: string, value: string, label: string) => (
    <div className={css.key}>
      <span title={attribute}>{attribute}</span>
      {field(path, value, label)}
    </div>
  );
  return (
    <section aria-label={t("keys")} className={css.keys}>
      <h2>{t("keys")}</h2>
      <ul>
        {model.entities.map((entity) => (
          <li key={entity.name}>
            <h3>{entity.name}</h3>
            {named(pk, `entity.${entity.name}.key.pk`, entity.pk, `${entity.name} ${t("partitionKey")}`)}
            {named(sk, `entity.${entity.name}.key.sk`, entity.sk, `${entity.name} ${t("sortKey")}`)}
          </li>
        ))}
        {model.relations.map((relation) => {
          const path = `relation.${relation.name}`;
          const [indexPk = pk, indexSk = sk] = relation.index_key_names;
          return (
            <li key={relation.name}>
              <h3 data-edge>
                {relation.source} {field(`${path}.out`, relation.out, `${relation.name} out`)}{" "}
                {relation.target}
              </h3>
              {named(pk, `${path}.key.pk`, relation.pk, `${relation.name} ${t("partitionKey")}`)}
              {named(sk, `${path}.key.sk`, relation.sk, `${relation.name} ${t("sortKey")}`)}
              <h3 data-inverse>
                {relation.target} {field(`${path}.in`, relation.in, `${relation.name} in`)} {relation.source}{" "}
                · {relation.index}
              </h3>
              {named(
                indexPk,
                `${path}.inverse.pk`,
                relation.index_pk,
                `${relation.index} ${relation.name} ${t("partitionKey")}`,
              )}
              {named(
                indexSk,
                `${path}.inverse.sk`,
                relation.index_sk,
                `${relation.index} ${relation.name} ${t("sortKey")}`,
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
