import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import type { AttributeValue, Item, Relation } from "../../api/client";
import type { Place } from "../../lib/places";
import { text } from "../../lib/value";
import { Button } from "../../parts/Button";
import { ItemTable } from "../../parts/ItemTable";
import { Note } from "../../parts/Note";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { Waiting } from "../../parts/Waiting";
import css from "./both.module.css";
import { edgeQuery } from "./data";
import { useCancel } from "./useCancel";

interface Props {
  place: Place;
  relation: Relation | undefined;
  source: string;
  target: string;
  /** Asks for the end that is missing. */
  onChoose: () => void;
  /** Absent where this connection only reads. */
  onEdit: ((name: string, value: AttributeValue) => void) | undefined;
}

/** The edge item itself, between the two places where it can be read. */
export function EdgeCard({ place, relation, source, target, onChoose, onEdit }: Props) {
  const t = useTranslations("both");
  const query = edgeQuery(place, source, target);
  const edge = useQuery(query);
  const cancel = useCancel(query.queryKey);
  const item = edge.data?.item as Item | null | undefined;
  const base = relation?.key_names ?? [];
  const index = relation?.index_key_names ?? [];
  const keys = [...base, ...index];
  const rest = Object.fromEntries(Object.entries(item ?? {}).filter(([name]) => !keys.includes(name)));
  const named = source !== "" && target !== "";
  return (
    <article className={css.card} data-absent={item === null || undefined} data-middle>
      <h2 className={css.cardTitle}>
        {source || "…"} → {target || "…"}
      </h2>
      <p className={css.kind}>{item ? `${t("lens.edge")} · ${t("oneItem")}` : t("lens.edge")}</p>
      {edge.error ? <ProblemPanel error={edge.error} onRetry={() => edge.refetch()} /> : null}
      {!named && (
        <div className={css.empty}>
          <p>{t("choose")}</p>
          <Button onPress={onChoose}>{t(source === "" ? "pickSource" : "pickTarget")}</Button>
        </div>
      )}
      {named && edge.isPending && <Waiting onCancel={cancel} />}
      {item === null && (
        <div className={css.empty}>
          <p>{t("noEdge")}</p>
          <p>{t("noEdgeHint", { source, target })}</p>
        </div>
      )}
      {item && (
        <>
          <Keys item={item} names={base} side="out" />
          <Keys item={item} names={index} side="in" />
          <ItemTable
            item={rest}
            chips={false}
            editable={relation?.attributes ?? []}
            {...(onEdit && { onEdit })}
          />
          <Note name="item" />
        </>
      )}
      {edge.data && (
        <footer className={css.cardFoot}>
          <ReceiptLine receipt={edge.data.receipt} />
        </footer>
      )}
    </article>
  );
}

/** The part of the item's keys that one side reads it by. */
function Keys({ item, names, side }: { item: Item; names: string[]; side: "out" | "in" }) {
  const shown = names.filter((name) => item[name] !== undefined);
  if (shown.length === 0) return null;
  return (
    <dl className={css.keys} data-side={side} data-anchor={side}>
      {shown.map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd title={text(item[name] ?? { NULL: true })}>{text(item[name] ?? { NULL: true })}</dd>
        </div>
      ))}
    </dl>
  );
}
