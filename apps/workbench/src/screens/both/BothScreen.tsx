import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { useTranslations } from "use-intl";
import { useHere } from "../../frame/here";
import { type Command, useCommands } from "../../lib/commands";
import { type BothSearch, bothHref, type Place, type View } from "../../lib/places";
import { walkTo } from "../../lib/walk";
import { ProblemPanel } from "../../parts/ProblemPanel";
import css from "./both.module.css";
import { modelsQuery } from "./data";
import { EdgeLens } from "./EdgeLens";
import { lensHref } from "./LensSwitch";
import { NodeLens } from "./NodeLens";

/** The map is the only lens that draws: what it draws with is loaded with it. */
const MapLens = lazy(() => import("./MapLens").then((m) => ({ default: m.MapLens })));

/** Both ways: one edge in the two places where it can be read, one node with both of its lists, or the map of it. */
export function BothScreen({ place, search }: { place: Place; search: BothSearch }) {
  const t = useTranslations("both");
  const nav = useTranslations("nav");
  const router = useRouter();
  const here = useHere();
  const models = useQuery(modelsQuery(place.connection));
  const model = models.data?.find((m) => m.name === place.model);
  const relation = model?.relations.find((r) => r.name === place.relation);
  const node = { e: search.e || (relation?.source ?? ""), n: search.n || search.s || search.t };

  const href = bothHref(place, search);
  const label = search.view === "edge" ? `${search.s || "…"} → ${search.t || "…"}` : search.n;
  useEffect(() => walkTo({ label, href }), [label, href]);

  const look = (view: View, keys: string): Command => ({
    id: `lens/${view}`,
    group: "actions",
    label: t(`look.${view}`),
    keys,
    run: () => router.history.push(lensHref({ place, search, relation, node }, view)),
  });
  useCommands([look("edge", "e"), look("node", "n"), look("map", "m")]);

  if (relation === undefined)
    return (
      <div className={css.screen}>
        <h1 className="visually-hidden">{nav("both")}</h1>
        {models.data && (
          <ProblemPanel error={t("noRelation", { model: place.model, relation: place.relation })} />
        )}
      </div>
    );
  const shared = { place, search, model, relation, node, readOnly: here.place?.read_only ?? false };
  if (search.view === "node") return <NodeLens {...shared} />;
  if (search.view === "map")
    return (
      <Suspense>
        <MapLens {...shared} />
      </Suspense>
    );
  return <EdgeLens {...shared} />;
}
