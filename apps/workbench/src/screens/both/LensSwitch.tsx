import { ArrowLeftRight, CircleDot, Waypoints } from "lucide-react";
import { useTranslations } from "use-intl";
import type { Relation } from "../../api/client";
import { GoLink } from "../../frame/GoLink";
import { type BothSearch, bothHref, type Place, type View } from "../../lib/places";
import css from "./both.module.css";

const lenses = [
  { view: "edge", icon: ArrowLeftRight },
  { view: "node", icon: CircleDot },
  { view: "map", icon: Waypoints },
] as const;

interface Props {
  place: Place;
  search: BothSearch;
  relation: Relation | undefined;
  node: { e: string; n: string };
}

/** The address of a lens on what is in the middle now. */
export function lensHref({ place, search, relation, node }: Props, view: View): string {
  if (view !== "edge") return bothHref(place, { ...search, view, ...node });
  const { s, t } = search;
  if (s !== "" || t !== "") return bothHref(place, { s, t });
  return bothHref(place, relation?.source === node.e ? { s: node.n } : { t: node.n });
}

/** Edge, node or map: three ways to look at the same two reads. */
export function LensSwitch(props: Props) {
  const t = useTranslations("both");
  return (
    <nav className={css.lenses} aria-label={t("lenses")}>
      {lenses.map(({ view, icon: Icon }) => (
        <GoLink
          key={view}
          href={lensHref(props, view)}
          aria-current={props.search.view === view ? "page" : undefined}
        >
          <Icon aria-hidden size="1em" /> {t(`lens.${view}`)}
        </GoLink>
      ))}
    </nav>
  );
}
