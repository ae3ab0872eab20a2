import { type RefObject, useCallback, useLayoutEffect, useState } from "react";
import css from "./both.module.css";

interface Ends {
  out: string | null;
  in: string | null;
}

/** Two ribbons tie the item in the middle to its two rows. Returns the drawing and a way to redraw it. */
export function useRibbons(
  frame: RefObject<HTMLDivElement | null>,
  card: RefObject<HTMLDivElement | null>,
  outRow: RefObject<HTMLDivElement | null>,
  inRow: RefObject<HTMLDivElement | null>,
) {
  const [ends, setEnds] = useState<Ends>({ out: null, in: null });
  const measure = useCallback(() => {
    const origin = frame.current?.getBoundingClientRect();
    const middle = card.current?.getBoundingClientRect();
    if (!origin || !middle) return;
    const at = middle.top + 20 - origin.top;
    const tie = (row: HTMLDivElement | null, out: boolean): string | null => {
      const box = row?.getBoundingClientRect();
      const pane = row?.closest("[role=listbox]")?.parentElement?.getBoundingClientRect();
      if (!box || !pane || box.bottom < pane.top || box.top > pane.bottom) return null;
      const y = (box.top + box.bottom) / 2 - origin.top;
      const from = (out ? box.right : box.left) - origin.left;
      const to = (out ? middle.left : middle.right) - origin.left;
      const bend = (from + to) / 2;
      return `M${from} ${y}C${bend} ${y} ${bend} ${at} ${to} ${at}`;
    };
    const next = { out: tie(outRow.current, true), in: tie(inRow.current, false) };
    setEnds((now) => (now.out === next.out && now.in === next.in ? now : next));
  }, [frame, card, outRow, inRow]);

  useLayoutEffect(measure);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure);
    if (frame.current) observer.observe(frame.current);
    return () => observer.disconnect();
  }, [frame, measure]);

  return { ends, measure };
}

export function Ribbons({ ends, awaited }: { ends: Ends; awaited: boolean }) {
  return (
    <svg className={css.ribbons} aria-hidden>
      <title>edge</title>
      {ends.out && <path d={ends.out} data-side="out" />}
      {ends.in && <path d={ends.in} data-side="in" data-awaited={awaited || undefined} />}
    </svg>
  );
}
