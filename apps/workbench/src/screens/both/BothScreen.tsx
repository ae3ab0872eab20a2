import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useRef } from "react";
import { useTranslations } from "use-intl";
import { type BothSearch, edgeHref, type Place } from "../../lib/places";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import css from "./both.module.css";
import { edgeQuery, edgesOf, listQuery, modelsQuery, useEdgeWrites } from "./data";
import { EdgeCard } from "./EdgeCard";
import { EdgeList } from "./EdgeList";
import { NamePicker } from "./NamePicker";
import { Ribbons, useRibbons } from "./Ribbons";

/** The hinge: one edge item shown in the two places where it can be read. */
export function BothScreen({ place, search }: { place: Place; search: BothSearch }) {
  const { s: source, t: target } = search;
  const t = useTranslations("both");
  const nav = useTranslations("nav");
  const router = useRouter();
  const models = useQuery(modelsQuery(place.connection));
  const relation = models.data
    ?.find((m) => m.name === place.model)
    ?.relations.find((r) => r.name === place.relation);
  const table = models.data?.find((m) => m.name === place.model)?.table ?? place.model;
  const edge = useQuery(edgeQuery(place, source, target));
  const outList = useInfiniteQuery(listQuery(place, "out", source));
  const inList = useInfiniteQuery(listQuery(place, "in", target));
  const { write, awaited } = useEdgeWrites(place, source, target);

  const frame = useRef<HTMLDivElement>(null);
  const card = useRef<HTMLDivElement>(null);
  const outRow = useRef<HTMLDivElement>(null);
  const inRow = useRef<HTMLDivElement>(null);
  const { ends, measure } = useRibbons(frame, card, outRow, inRow);

  const go = (s: string, u: string) => {
    write.reset();
    router.history.push(edgeHref(place, s, u));
  };
  const nodes = [
    ...edgesOf(outList.data?.pages).flatMap((e) => [e.source, e.target]),
    ...edgesOf(inList.data?.pages).flatMap((e) => [e.source, e.target]),
  ];
  const present = edge.data !== undefined && edge.data.item !== null;
  const busy = write.isPending || edge.isPending;
  const attributes = relation?.attributes ?? [];
  const out = relation?.out ?? place.relation;
  const back = relation?.in ?? place.relation;

  if (models.error) return <ProblemPanel error={models.error} onRetry={() => models.refetch()} />;
  return (
    <div className={css.screen}>
      <h1 className="visually-hidden">
        {nav("both")}: {source} {out} {target}
      </h1>
      <div className={css.recipe}>
        <NamePicker
          label={t("source")}
          value={source}
          suggestions={nodes}
          onChoose={(id) => go(id, target)}
        />
        <span className={css.verb}>{out}</span>
        <NamePicker
          label={t("target")}
          value={target}
          suggestions={nodes}
          onChoose={(id) => go(source, id)}
        />
        <Button
          tone={present ? "plain" : "primary"}
          isDisabled={busy}
          onPress={() => write.mutate(present ? "unlink" : "link")}
        >
          {present ? t("unlink") : t("link")}
        </Button>
        {present && (
          <>
            <Button tone="quiet" isDisabled={busy} onPress={() => write.mutate("again")}>
              {t("sendAgain")}
            </Button>
            <Button tone="quiet" isDisabled={busy} onPress={() => write.mutate("sixteen")}>
              {t("sixteen")}
            </Button>
          </>
        )}
      </div>
      {write.error && <ProblemPanel error={write.error} />}
      <div className={css.hinge} ref={frame}>
        <Ribbons ends={ends} awaited={awaited === "present"} />
        <EdgeList
          place={place}
          side="out"
          node={source}
          peer={target}
          title={`${source} ${out}`}
          where={`${t("base")} ${table}`}
          awaited={false}
          attributes={attributes}
          rowRef={outRow}
          onChoose={(peer) => go(source, peer)}
          onMoved={measure}
        />
        <div ref={card} className={css.middle}>
          <EdgeCard
            place={place}
            source={source}
            target={target}
            done={write.data}
            editable={attributes}
            onEdit={(name, value) => write.mutate({ set: { [name]: value } })}
          />
        </div>
        <EdgeList
          place={place}
          side="in"
          node={target}
          peer={source}
          title={`${target} ${back}`}
          where={`${t("index")} ${relation?.index ?? ""}`}
          awaited={awaited === "present"}
          attributes={attributes}
          rowRef={inRow}
          onChoose={(peer) => go(peer, target)}
          onMoved={measure}
        />
      </div>
    </div>
  );
}
