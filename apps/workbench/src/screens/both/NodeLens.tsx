import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { ArrowLeft, ArrowRight, TriangleAlert } from "lucide-react";
import { useTranslations } from "use-intl";
import type { Item } from "../../api/client";
import { GoLink } from "../../frame/GoLink";
import { edgeHref, itemHref, modelHref, nodeHref } from "../../lib/places";
import { ItemTable } from "../../parts/ItemTable";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { Waiting } from "../../parts/Waiting";
import css from "./both.module.css";
import { Counter } from "./Counter";
import { entityQuery, type Side } from "./data";
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
  const read = useQuery(entityQuery(place, entity, id));
  const counterOf = (name: string | null | undefined) => (name ? (read.data?.counters[name] ?? null) : null);
  const list = { place, node: id, attributes };
  const closed = { model: place.model, href: modelHref(place.connection, place.model) };
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
            {...list}
            side="in"
            column="left"
            title={words.in(id)}
            where={t("index", { index: relation?.index ?? "" })}
            counter={counterOf(relation?.in_counter)}
            peers={relation?.source ?? ""}
            onOpen={toNode(relation?.source)}
            onFill={() => go(edgeHref(place, "", id))}
            onAdd={() => go(edgeHref(place, "", id))}
          />
        ) : (
          <Closed side="in" title={t("closedInTitle", { id })} text={t("closedIn", { entity })} {...closed} />
        )}
        <div className={css.middle}>
          <EntityCard place={place} entity={entity} id={id} table={model?.table ?? ""} />
        </div>
        {hasOut ? (
          <EdgeList
            {...list}
            side="out"
            column="right"
            title={words.out(id)}
            where={t("base", { table: model?.table ?? "" })}
            counter={counterOf(relation?.out_counter)}
            peers={relation?.target ?? ""}
            onOpen={toNode(relation?.target)}
            onFill={() => go(edgeHref(place, id, ""))}
            onAdd={() => go(edgeHref(place, id, ""))}
          />
        ) : (
          <Closed
            side="out"
            title={t("closedOutTitle", { id })}
            text={t("closedOut", { entity })}
            {...closed}
          />
        )}
      </div>
    </div>
  );
}

interface ClosedProps {
  side: Side;
  title: string;
  text: string;
  model: string;
  href: string;
}

/** A side that the model does not have: closed, not empty. */
function Closed({ side, title, text, model, href }: ClosedProps) {
  const t = useTranslations("both");
  return (
    <section className={css.half} data-closed aria-label={title}>
      <header className={css.halfHead}>
        <h2 title={title}>
          {side === "out" ? <ArrowRight aria-hidden size="1em" /> : <ArrowLeft aria-hidden size="1em" />}{" "}
          <span>{title}</span>
        </h2>
      </header>
      <div className={css.closed}>
        <p>{text}</p>
        <GoLink href={href}>{t("openModel", { model })}</GoLink>
      </div>
    </section>
  );
}

interface CardProps {
  place: LensProps["place"];
  entity: string;
  id: string;
  table: string;
}

/** The entity's item: its counters large, then its attributes. */
function EntityCard({ place, entity, id, table }: CardProps) {
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
      <p className={css.kind}>{t("kindOf", { entity, model: place.model })}</p>
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
          {item && (
            <p className={css.kind}>
              <GoLink href={itemHref(place.connection, table, read.data.key as Item)}>
                {t("openItem", { table })}
              </GoLink>
            </p>
          )}
          <ReceiptLine receipt={read.data.receipt} />
        </footer>
      )}
    </article>
  );
}
