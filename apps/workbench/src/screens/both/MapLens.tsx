import { useRouter } from "@tanstack/react-router";
import { linkHorizontal } from "d3-shape";
import { Maximize2, Minus, Plus } from "lucide-react";
import { useMemo, useRef } from "react";
import { useTranslations } from "use-intl";
import type { Receipt } from "../../api/client";
import { nodeHref } from "../../lib/places";
import { useNumbers } from "../../lib/useNumbers";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import css from "./both.module.css";
import { LensSwitch } from "./LensSwitch";
import { COLUMN, type Line, layOut, type Placed, ROW } from "./layout";
import type { LensProps } from "./lens";
import map from "./map.module.css";
import { NamePicker } from "./NamePicker";
import { useNeighbours } from "./useNeighbours";
import { type Extent, usePanZoom } from "./usePanZoom";
import { useWords } from "./words";

/** Half of a node's width: where its lines start. */
const HALF_WIDTH = 64;
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
          <i data-side="in" /> {words.in(node.n)}
          <i data-side="out" /> {words.out(node.n)}
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
        {near.more.map((m) => (
          <Button key={`${m.side} ${m.entity} ${m.id}`} onPress={() => near.showMore(m, m.side)}>
            {m.left === null || m.total === null
              ? t("more")
              : t("mapMore", {
                  title: m.side === "out" ? words.out(m.id) : words.in(m.id),
                  next: String(Math.min(40, m.left)),
                  left: number(m.left),
                })}
          </Button>
        ))}
        <ReceiptLine receipt={receipt} />
        {model && nodes.length === 1 && !near.isPending && <p className={css.empty}>{t("emptyHalf")}</p>}
      </footer>
    </div>
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

function extentOf(nodes: Placed[]): Extent {
  const xs = nodes.map((n) => n.x);
  const ys = nodes.map((n) => n.y);
  return {
    left: Math.min(-COLUMN, ...xs),
    right: Math.max(COLUMN, ...xs),
    top: Math.min(-ROW, ...ys),
    bottom: Math.max(ROW, ...ys),
  };
}
