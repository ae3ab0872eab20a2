import { useRouter } from "@tanstack/react-router";
import { linkHorizontal } from "d3-shape";
import { ArrowLeft, ArrowRight, Maximize2, Minus, Plus } from "lucide-react";
import { useMemo, useRef } from "react";
import { useTranslations } from "use-intl";
import type { Receipt } from "../../api/client";
import { nodeHref } from "../../lib/places";
import { useNumbers } from "../../lib/useNumbers";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import css from "./both.module.css";
import type { Side } from "./data";
import { LensSwitch } from "./LensSwitch";
import { COLUMN, type Line, layOut, type Placed, ROW } from "./layout";
import type { LensProps } from "./lens";
import map from "./map.module.css";
import { NamePicker } from "./NamePicker";
import { type Drawn, useNeighbours } from "./useNeighbours";
import { type Extent, usePanZoom } from "./usePanZoom";
import { useWords } from "./words";

/** Half of a node's width: where its lines start. */
const HALF_WIDTH = 64;
/** From a column's first node to what is written over it. */
const CAPTION = ROW;
const STEP = 1.3;

const curve = linkHorizontal<unknown, [number, number]>();

/** The neighbourhood of a node, drawn from the same reads as its lists. */
export function MapLens({ place, search, model, relation, node }: LensProps) {
  const t = useTranslations("both");
  const nav = useTranslations("nav");
  const router = useRouter();
  const words = useWords(relation);
  const number = useNumbers();
  const pane = useRef<HTMLDivElement>(null);
  const middle = { entity: node.e, id: node.n };
  const near = useNeighbours(place, relation, middle);
  const { nodes, lines } = layOut(middle, near.found);
  const extent = extentOf(nodes);
  const { view, fitAll, scale } = usePanZoom(pane, extent);
  const receipt: Receipt = useMemo(
    () => ({ requests: near.receipts.flatMap((r) => r.requests), sent: [] }),
    [near.receipts],
  );
  const titleOf = ({ side, id }: Pick<Drawn, "side" | "id">) =>
    side === "out" ? words.out(id) : words.in(id);
  const captionOf = (side: Side) => {
    if ((side === "out" ? relation?.source : relation?.target) !== node.e)
      return t(side === "out" ? "closedOut" : "closedIn", { entity: node.e });
    const title = titleOf({ side, id: node.n });
    const d = near.drawn.find((one) => one.side === side && one.entity === node.e && one.id === node.n);
    if (d === undefined) return title;
    const shown = number(d.shown);
    return d.total === null || d.total === String(d.shown)
      ? t("shown", { title, n: shown })
      : t("shownOf", { title, shown, n: number(d.total) });
  };
  const go = (entity: string, id: string) => router.history.push(nodeHref(place, entity, id, "map"));
  return (
    <div className={css.screen}>
      <h1 className="visually-hidden">
        {nav("both")}: {t("lens.map")}, {node.n}
      </h1>
      <div className={css.recipe}>
        <NamePicker
          id="pick-source"
          label={node.e}
          value={node.n}
          suggestions={nodes.filter((n) => n.entity === node.e).map((n) => n.id)}
          onChoose={(id) => go(node.e, id)}
        />
        <span className={css.verb}>{node.e}</span>
        <span className={map.legend}>
          <i data-side="in" /> {t("readFrom", { where: t("index", { index: relation?.index ?? "" }) })}
          <i data-side="out" /> {t("readFrom", { where: t("base", { table: model?.table ?? "" }) })}
        </span>
        <LensSwitch place={place} search={search} relation={relation} node={node} />
      </div>
      {near.error ? <ProblemPanel error={near.error} onRetry={near.retry} /> : null}
      <div className={map.map}>
        <div className={map.pane} ref={pane} data-pane>
          <div
            className={map.layer}
            style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.k})` }}
          >
            <Lines nodes={nodes} lines={lines} />
            {sides.map((side) => (
              <Caption key={side} side={side} nodes={nodes} text={captionOf(side)} />
            ))}
            <ul aria-label={t("lens.map")}>
              {nodes.map((n) => (
                <li
                  key={n.key}
                  className={map.node}
                  style={{ transform: `translate(${n.x}px, ${n.y}px) translate(-50%, -50%)` }}
                  data-middle={n.column === 0 || undefined}
                  data-left={n.column < 0 || undefined}
                >
                  <Button onPress={() => go(n.entity, n.id)} aria-label={t("mapNode", { node: n.id })}>
                    <span title={n.id}>{n.id}</span>
                  </Button>
                  {!near.isExpanded(n) && (
                    <Button
                      tone="quiet"
                      aria-label={t("expand", { node: n.id })}
                      onPress={() => near.expand(n)}
                    >
                      <Plus aria-hidden size="1em" />
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          </div>
        </div>
        <p className={map.hint}>{t("mapHint")}</p>
        <div className={map.tools}>
          <Button aria-label={t("zoomIn")} onPress={() => scale(STEP)}>
            <Plus aria-hidden size="1em" />
          </Button>
          <Button aria-label={t("zoomOut")} onPress={() => scale(1 / STEP)}>
            <Minus aria-hidden size="1em" />
          </Button>
          <Button aria-label={t("fit")} onPress={fitAll}>
            <Maximize2 aria-hidden size="1em" />
          </Button>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with keys */}
      <footer className={map.foot} tabIndex={0}>
        {near.drawn.map((d) => {
          if (!d.more) return null;
          const left = Number(d.total ?? 0) - d.shown;
          return (
            <Button key={`${d.side} ${d.entity} ${d.id}`} onPress={() => near.showMore(d, d.side)}>
              {left <= 0
                ? t("more")
                : t("mapMore", { title: titleOf(d), next: String(Math.min(40, left)), left: number(left) })}
            </Button>
          );
        })}
        <ReceiptLine sum receipt={receipt} />
      </footer>
    </div>
  );
}

const sides = ["in", "out"] as const;
const columnOf = (side: Side) => (side === "out" ? 1 : -1);

/** Where what is written over a column stands: over its first node, or where that would be. */
function captionAt(nodes: Placed[], side: Side): number {
  const column = nodes.filter((n) => n.column === columnOf(side));
  return Math.min(0, ...column.map((n) => n.y)) - CAPTION;
}

/** What stands on one side of the middle, and how much of it is drawn. */
function Caption({ side, nodes, text }: { side: Side; nodes: Placed[]; text: string }) {
  const [x, y] = [COLUMN * columnOf(side), captionAt(nodes, side)];
  return (
    <p
      className={map.caption}
      data-side={side}
      style={{ transform: `translate(${x}px, ${y}px) translate(-50%, -50%)` }}
    >
      {side === "out" ? <ArrowRight aria-hidden size="1em" /> : <ArrowLeft aria-hidden size="1em" />} {text}
    </p>
  );
}

/** The lines, each in the colour of the way it was read, with an arrow at its target. */
function Lines({ nodes, lines }: { nodes: Placed[]; lines: Line[] }) {
  const at = new Map(nodes.map((n) => [n.key, n]));
  return (
    <svg className={map.lines} aria-hidden="true">
      <defs>
        {["out", "in"].map((side) => (
          <marker
            key={side}
            id={`arrow-${side}`}
            viewBox="0 0 8 8"
            refX="8"
            refY="4"
            markerWidth="6"
            markerHeight="6"
            orient="auto"
          >
            <path d="M0 0L8 4L0 8Z" data-side={side} />
          </marker>
        ))}
      </defs>
      {lines.map((line) => {
        const [from, to] = [at.get(line.from), at.get(line.to)];
        if (!from || !to) return null;
        const ahead = to.column >= from.column ? 1 : -1;
        const path = curve({
          source: [from.x + HALF_WIDTH * ahead, from.y],
          target: [to.x - HALF_WIDTH * ahead, to.y],
        });
        return (
          <path
            key={`${line.from} ${line.to}`}
            d={path ?? ""}
            data-side={line.side}
            markerEnd={`url(#arrow-${line.side})`}
          />
        );
      })}
    </svg>
  );
}

/** All that is drawn, and what is written over it. */
function extentOf(nodes: Placed[]): Extent {
  const xs = nodes.map((n) => n.x);
  const ys = nodes.map((n) => n.y);
  return {
    left: Math.min(-COLUMN, ...xs),
    right: Math.max(COLUMN, ...xs),
    top: Math.min(...sides.map((side) => captionAt(nodes, side)), ...ys),
    bottom: Math.max(ROW, ...ys),
  };
}
