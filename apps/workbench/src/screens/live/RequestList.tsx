import { CircleX } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { milliseconds } from "../../parts/ReceiptLine";
import css from "./live.module.css";
import type { SeenRequest } from "./seen";

/** Rows above and below what is in sight that are drawn too. */
const BESIDE = 8;

interface Props {
  /** The newest first. */
  rows: SeenRequest[];
  open: string;
  onOpen: (number: string) => void;
}

/** Rows of one height, placed by where they are in the list: new ones push the others down without a jolt. */
export function RequestList({ rows, open, onOpen }: Props) {
  const t = useTranslations("live");
  const box = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ first: 0, last: 40, row: 28 });
  const [active, setActive] = useState(open);
  const at = rows.findIndex((r) => String(r.number) === active);
  const look = () => {
    const el = box.current;
    if (el === null) return;
    const row = Number.parseFloat(getComputedStyle(el).getPropertyValue("--row")) * rem();
    setSight({
      row,
      first: Math.floor(el.scrollTop / row) - BESIDE,
      last: Math.ceil((el.scrollTop + el.clientHeight) / row) + BESIDE,
    });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is in sight changes with the size of the box
  useEffect(() => {
    look();
    const watch = new ResizeObserver(look);
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const move = (to: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
    if (row === undefined) return;
    setActive(String(row.number));
    if (open !== "") onOpen(String(row.number));
    const el = box.current;
    if (el === null) return;
    const top = rows.indexOf(row) * sight.row;
    if (top < el.scrollTop) el.scrollTop = top;
    if (top + sight.row > el.scrollTop + el.clientHeight) el.scrollTop = top + sight.row - el.clientHeight;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, sight.last - sight.first - BESIDE * 2 - 1);
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: rows.length - 1,
    };
    const to = steps[event.key];
    if (to !== undefined) move(to);
    else if (event.key === "Enter" && at >= 0) onOpen(active);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={box}
      className={css.list}
      role="listbox"
      aria-label={t("list")}
      tabIndex={0}
      aria-activedescendant={at >= 0 && at >= sight.first && at <= sight.last ? `seen-${active}` : undefined}
      onKeyDown={onKeyDown}
      onScroll={look}
    >
      {/* The height is that of all rows, also those that are not drawn. */}
      <div role="presentation" style={{ height: `calc(var(--row) * ${rows.length})` }}>
        {rows.map(
          (row, i) =>
            i >= sight.first &&
            i <= sight.last && (
              <Row
                key={row.number}
                row={row}
                at={i}
                active={String(row.number) === active}
                open={String(row.number) === open}
                onOpen={() => {
                  setActive(String(row.number));
                  onOpen(String(row.number));
                }}
              />
            ),
        )}
      </div>
    </div>
  );
}

const rem = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

interface RowProps {
  row: SeenRequest;
  at: number;
  active: boolean;
  open: boolean;
  onOpen: () => void;
}

function Row({ row, at, active, open, onOpen }: RowProps) {
  const t = useTranslations("receipt");
  const format = useFormatter();
  const time = format.dateTime(row.at, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const where = [row.tables.join(", "), row.index].filter(Boolean).join(" · ");
  const units = row.read_units !== "0" ? t("rcu", { n: row.read_units }) : "";
  const written = row.write_units !== "0" ? t("wcu", { n: row.write_units }) : "";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys
    <div
      id={`seen-${row.number}`}
      role="option"
      tabIndex={-1}
      aria-selected={open}
      className={css.row}
      data-active={active || undefined}
      data-failed={row.error !== null || undefined}
      style={{ transform: `translateY(calc(var(--row) * ${at}))` }}
      onClick={onOpen}
    >
      <time dateTime={new Date(row.at).toISOString()}>{time}</time>
      <span className={css.operation} title={row.operation} data-scan={row.operation === "Scan" || undefined}>
        {row.error !== null && <CircleX aria-hidden size="1em" />} {row.operation}
      </span>
      <span className={css.where} title={where}>
        {where}
      </span>
      <code title={row.key ?? ""}>{row.key ?? "–"}</code>
      <span className={css.outcome} title={row.error ?? ""}>
        {row.error ?? (units || written)}
      </span>
      <span className={css.ms}>{t("ms", { n: milliseconds(row.micros) })}</span>
    </div>
  );
}
