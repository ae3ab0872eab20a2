import { select } from "d3-selection";
import { type ZoomBehavior, zoom, zoomIdentity } from "d3-zoom";
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";

const SMALLEST = 0.2;
const LARGEST = 2.5;
/** Room around the picture where it is fitted, in pixels. */
const MARGIN = 60;

export interface Extent {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Pan with the pointer, zoom with the wheel or buttons; the middle of the picture starts in the middle. */
export function usePanZoom(pane: RefObject<HTMLDivElement | null>, extent: Extent) {
  const [view, setView] = useState({ x: 0, y: 0, k: 1 });
  const behavior = useRef<ZoomBehavior<HTMLDivElement, unknown>>(null);

  // Before the paint, and before the first fit, which needs it.
  useLayoutEffect(() => {
    const element = pane.current;
    if (!element) return;
    const own = zoom<HTMLDivElement, unknown>()
      .scaleExtent([SMALLEST, LARGEST])
      .filter((event: Event) => !(event.target instanceof Element && event.target.closest("button, a")))
      .on("zoom", ({ transform: { x, y, k } }) => setView({ x, y, k }));
    behavior.current = own;
    select(element).call(own).on("dblclick.zoom", null);
    return () => {
      select(element).on(".zoom", null);
    };
  }, [pane]);

  const fitAll = useCallback(() => {
    const element = pane.current;
    const own = behavior.current;
    if (!element || !own) return;
    const { clientWidth: width, clientHeight: height } = element;
    const wide = extent.right - extent.left + MARGIN * 2;
    const tall = extent.bottom - extent.top + MARGIN * 2;
    const k = Math.max(SMALLEST, Math.min(1, width / wide, height / tall));
    const x = width / 2 - (k * (extent.left + extent.right)) / 2;
    const y = height / 2 - (k * (extent.top + extent.bottom)) / 2;
    select(element).call(own.transform, zoomIdentity.translate(x, y).scale(k));
  }, [pane, extent.left, extent.right, extent.top, extent.bottom]);

  useLayoutEffect(() => {
    fitAll();
    const resized = new ResizeObserver(fitAll);
    if (pane.current) resized.observe(pane.current);
    return () => resized.disconnect();
  }, [fitAll, pane]);

  const scale = useCallback(
    (by: number) => {
      if (pane.current && behavior.current) select(pane.current).call(behavior.current.scaleBy, by);
    },
    [pane],
  );
  return { view, fitAll, scale };
}
