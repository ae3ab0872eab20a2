import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import { useTranslations } from "use-intl";
import type { Item } from "../../api/client";
import { GoLink } from "../../frame/GoLink";
import { edgeHref, nodeHref } from "../../lib/places";
import { ItemTable } from "../../parts/ItemTable";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { Waiting } from "../../parts/Waiting";
import css from "./both.module.css";
import { Counter } from "./Counter";
import { entityQuery } from "./data";
import { EdgeList } from "./EdgeList";
import { LensSwitch } from "./LensSwitch";
import type { LensProps } from "./lens";
import { NamePicker } from "./NamePicker";
import { Ribbons } from "./Ribbons";
import { useCancel } from "./useCancel";
import { useWords } from "./words";

/** One node in the middle: what points to it on the left, what it points to on the right. */
export function NodeLens({ place, search, model, relation, node }: LensProps) {
  const t = useTranslations("both");
  const nav = useTranslations("nav");
  const router = useRouter();
  const words = useWords(relation);
  const { e: entity, n: id } = node;
  const attributes = relation?.attributes ?? [];
  const hasIn = relation?.target === entity;
  const hasOut = relation?.source === entity;
  const go = (href: string) => router.history.push(href);
  const toNode = (e: string | undefined) => (peer: string) => go(nodeHref(place, e ?? "", peer));
  const relations = model?.relations.filter((r) => r.source === entity || r.target === entity) ?? [];
  return (
    <div className={css.screen}>
      <h1 className="visually-hidden">
        {nav("both")}: {id}
      </h1>
      <div className={css.recipe}>
        <NamePicker id="pick-source" label={entity} value={id} suggestions={[]} onChoose={toNode(entity)} />
        <span className={css.verb}>{entity}</span>
        {relations.length > 1 && (
          <nav className={css.lenses} aria-label={t("relations")}>
            {relations.map((r) => (
              <GoLink
                key={r.name}
                href={nodeHref({ ...place, relation: r.name }, entity, id)}
                aria-current={r.name === place.relation ? "page" : undefined}
              >
                {r.name}
              </GoLink>
            ))}
          </nav>
        )}
        <LensSwitch place={place} search={search} relation={relation} node={node} />
      </div>
      <div className={css.hinge} data-frame>
        <Ribbons />
        {hasIn ? (
          <EdgeList
            place={place}
            side="in"
            column="left"
            node={id}
            title={words.in(id)}
            where={t("index", { index: relation?.index ?? "" })}
            attributes={attributes}
            onOpen={toNode(relation?.source)}
            onFill={() => go(edgeHref(place, "", id))}
          />
        ) : (
          <Closed text={t("closedIn", { entity })} />
        )}
        <div className={css.middle}>
          <EntityCard place={place} entity={entity} id={id} />
        </div>
        {hasOut ? (
          <EdgeList
            place={place}
            side="out"
            column="right"
            node={id}
            title={words.out(id)}
            where={t("base", { table: model?.table ?? "" })}
            attributes={attributes}
            onOpen={toNode(relation?.target)}
            onFill={() => go(edgeHref(place, id, ""))}
          />
        ) : (
          <Closed text={t("closedOut", { entity })} />
        )}
      </div>
    </div>
  );
}

/** A side that the model does not have: closed, not empty. */
function Closed({ text }: { text: string }) {
  return (
    <div className={css.closed}>
      <p>{text}</p>
    </div>
  );
}

/** The entity's item: its counters large, then its attributes. */
function EntityCard({ place, entity, id }: { place: LensProps["place"]; entity: string; id: string }) {
  const t = useTranslations("both");
  const query = entityQuery(place, entity, id);
  const read = useQuery(query);
  const cancel = useCancel(query.queryKey);
  const item = read.data?.item as Item | null | undefined;
  const counters = Object.entries(read.data?.counters ?? {});
  const keys = Object.keys((read.data?.key ?? {}) as Item);
  const rest = Object.fromEntries(
    Object.entries(item ?? {}).filter(([name]) => !counters.some(([counter]) => counter === name)),
  );
  return (
    <article className={css.card} data-absent={item === null || undefined} data-middle>
      <h2 className={css.cardTitle}>{id}</h2>
      <p className={css.kind}>{entity}</p>
      <div className={css.anchors} aria-hidden>
        <i data-anchor="in" />
        <i data-anchor="out" />
      </div>
      {read.error ? <ProblemPanel error={read.error} onRetry={() => read.refetch()} /> : null}
      {read.isPending && id !== "" && <Waiting onCancel={cancel} />}
      {counters.length > 0 && (
        <dl className={css.counters}>
          {counters.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Counter value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {item === null && (
        <p className={css.flag}>
          <TriangleAlert aria-hidden size="1em" /> {t("missingNode", { node: id })}
        </p>
      )}
      {item && <ItemTable item={rest} first={keys} chips={false} />}
      {read.data && (
        <footer className={css.cardFoot}>
          <ReceiptLine receipt={read.data.receipt} />
        </footer>
      )}
    </article>
  );
}
