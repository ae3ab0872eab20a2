import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";

/** Rows drawn beyond the pane's edges on each side: a frame that comes late still has something to show. */
const SPARE = 8;

/** Rows in sight: the first, and the one after the last. */
export interface RowWindow {
  first: number;
  end: number;
}

/** What a pane shows of rows of one height, below a head as high as a row. */
export function windowOf(count: number, rowPixels: number, scrolled: number, height: number): RowWindow {
  const rows = Math.ceil(height / rowPixels);
  const top = Math.floor(scrolled / rowPixels);
  const end = Math.max(0, Math.min(count, top + rows + SPARE));
  return { first: Math.max(0, Math.min(top - SPARE, end)), end };
}

/**
 * The rows of a pane that are in sight. All rows have one height, so nothing is measured and nothing remembered of
 * those that are not: a million rows cost what forty do.
 */
export function useWindow(pane: RefObject<HTMLElement | null>, count: number, rowPixels: number) {
  const [place, setPlace] = useState({ row: 0, height: 0 });
  const slots = useRef({ first: 0, start: 0 });
  useEffect(() => {
    const element = pane.current;
    if (element === null) return;
    const look = () => {
      const row = Math.floor(element.scrollTop / rowPixels);
      const height = element.clientHeight;
      setPlace((now) => (now.row === row && now.height === height ? now : { row, height }));
    };
    // In the frame of the scroll: drawn a frame later, rows would come after a flash of nothing.
    const onScroll = () => flushSync(look);
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, [pane, rowPixels]);
  return useMemo(() => {
    const shown = windowOf(count, rowPixels, place.row * rowPixels, place.height);
    // Far from where it was every row shows something else: their elements stay in their order.
    if (Math.abs(shown.first - slots.current.first) > SPARE) slots.current.start = shown.first;
    slots.current.first = shown.first;
    const { start } = slots.current;
    const most = Math.ceil(place.height / rowPixels) + 2 * SPARE + 1;
    /** The place of a row among the elements: one that leaves at an end comes back at the other as another row. */
    const slotOf = (row: number) => (((row - start) % most) + most) % most;
    return { ...shown, slotOf };
  }, [count, rowPixels, place]);
}

/** Scrolls so far that a row stands clear of the head and of the foot. */
export function bringRow(pane: HTMLElement, row: number, rowPixels: number): void {
  const top = row * rowPixels;
  const room = pane.clientHeight - 2 * rowPixels;
  if (top < pane.scrollTop) pane.scrollTop = top;
  else if (top > pane.scrollTop + room) pane.scrollTop = top - room;
}
