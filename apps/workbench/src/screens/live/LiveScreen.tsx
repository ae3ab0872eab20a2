import { useNavigate } from "@tanstack/react-router";
import { Copy, Eraser, Pause, Play, Search } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { useHere } from "../../frame/here";
import { useCommands } from "../../lib/commands";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptSum } from "../../parts/ReceiptLine";
import { LiveTabs } from "./LiveTabs";
import css from "./live.module.css";
import { RequestDetail } from "./RequestDetail";
import { RequestList } from "./RequestList";
import { emptyLive, type LiveSearch } from "./search";
import { passing, ratesOf, rateText, type SeenRequest, useSeen } from "./seen";

/** What applications send to this server, as it happens. */
export function LiveScreen({ connection, search }: { connection: string; search: LiveSearch }) {
  const t = useTranslations("live");
  const navigate = useNavigate();
  const here = useHere();
  const [paused, setPaused] = useState(false);
  const seen = useSeen(connection, paused);
  const set = (more: Partial<LiveSearch>, replace = true) =>
    void navigate({
      to: "/c/$connection/live",
      params: { connection },
      search: { ...search, ...more },
      replace,
    });
  useCommands([
    {
      id: "live/pause",
      group: "actions",
      label: t(paused ? "resume" : "pause"),
      keys: "p",
      run: () => setPaused(!paused),
    },
    { id: "live/clear", group: "actions", label: t("clear"), run: seen.clear },
  ]);
  const shown = passing(seen.rows, search);
  if (here.place && !here.place.offers.includes("live"))
    return <p className={css.elsewhere}>{t("notThere", { connection })}</p>;
  return (
    <div className={css.screen} data-open={search.open !== "" || undefined}>
      <header className={css.head}>
        <h1>{t("title")}</h1>
        <LiveTabs connection={connection} tab="requests" />
        <Meters rows={seen.rows} />
      </header>
      <Filters search={search} rows={seen.rows} onChange={set}>
        <Button tone={paused ? "primary" : "plain"} onPress={() => setPaused(!paused)}>
          {paused ? <Play aria-hidden size="1em" /> : <Pause aria-hidden size="1em" />}
          {t(paused ? "resume" : "pause")}
          {seen.waiting > 0 && <span className={css.waiting}>{t("new", { n: seen.waiting })}</span>}
        </Button>
        <Button tone="quiet" onPress={seen.clear}>
          <Eraser aria-hidden size="1em" /> {t("clear")}
        </Button>
      </Filters>
      {seen.problem && <ProblemPanel error={seen.problem} />}
      {seen.missed > 0 && <p className={css.missed}>{t("missed", { n: seen.missed })}</p>}
      {shown.length > 0 && (
        <>
          <p className={css.columns} aria-hidden>
            {(["time", "operation", "table", "key", "cost", "took"] as const).map((name) => (
              <span key={name} data-name={name}>
                {t(name)}
              </span>
            ))}
          </p>
          <RequestList rows={shown} open={search.open} onOpen={(open) => set({ open }, search.open !== "")} />
          <footer className={css.foot}>
            {/* Another sum is another line: words that change within one would be a shift. */}
            <ReceiptSum key={shown[0]?.number} requests={shown} />
            <p>{t("openHint")}</p>
          </footer>
        </>
      )}
      {seen.settled && seen.rows.length === 0 && !seen.problem && <Empty />}
      {seen.rows.length > 0 && shown.length === 0 && (
        <div className={css.empty}>
          <p>{t("none")}</p>
          <Button onPress={() => set(emptyLive)}>{t("showAll")}</Button>
        </div>
      )}
      {search.open !== "" && (
        <RequestDetail
          key={search.open}
          connection={connection}
          number={search.open}
          onClose={() => set({ open: "" })}
        />
      )}
    </div>
  );
}

/** What came in the last ten seconds. */
function Meters({ rows }: { rows: SeenRequest[] }) {
  const t = useTranslations("live");
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  const rates = ratesOf(rows, now);
  return (
    <dl className={css.meters}>
      <div data-over>
        <dt>{t("over10")}</dt>
      </div>
      {(
        [
          ["perSecond", rates.requests],
          ["rcu", rates.rcu],
          ["wcu", rates.wcu],
        ] as const
      ).map(([name, rate]) => (
        <div key={name}>
          <dt>{t(name)}</dt>
          <dd>{t("rate", { n: rateText(rate) })}</dd>
        </div>
      ))}
      <div data-bad={rates.errors > 0 || undefined}>
        <dt>{t("errors")}</dt>
        <dd>{rates.errors}</dd>
      </div>
    </dl>
  );
}

interface FiltersProps {
  search: LiveSearch;
  rows: SeenRequest[];
  onChange: (more: Partial<LiveSearch>) => void;
  children: React.ReactNode;
}

function Filters({ search, rows, onChange, children }: FiltersProps) {
  const t = useTranslations("live");
  const known = (all: string[], chosen: string) =>
    [...new Set(chosen === "" ? all : [...all, chosen])].sort();
  const tables = known(
    rows.flatMap((r) => r.tables),
    search.table,
  );
  const operations = known(
    rows.map((r) => r.operation),
    search.op,
  );
  return (
    <search className={css.filters}>
      <label className={css.find}>
        <Search aria-hidden size="1em" />
        <span className="visually-hidden">{t("find")}</span>
        <input
          type="search"
          value={search.find}
          placeholder={t("findHint")}
          spellCheck={false}
          onChange={(event) => onChange({ find: event.target.value })}
        />
      </label>
      {(
        [
          ["table", tables, search.table, (table: string) => onChange({ table })],
          ["operation", operations, search.op, (op: string) => onChange({ op })],
        ] as const
      ).map(([name, all, chosen, choose]) => (
        <label key={name}>
          <span>{t(name)}</span>
          <select value={chosen} onChange={(event) => choose(event.target.value)}>
            <option value="">{t("all")}</option>
            {all.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      ))}
      <label>
        <input
          type="checkbox"
          checked={search.failed}
          onChange={(event) => onChange({ failed: event.target.checked })}
        />
        <span>{t("failed")}</span>
      </label>
      <span className={css.spring} />
      {children}
    </search>
  );
}

/** What would be here, and how to make it come. */
function Empty() {
  const t = useTranslations("live");
  const [copied, setCopied] = useState(false);
  const url = location.origin;
  // Nothing has to be installed or set up for it: any key will do, and curl signs.
  const command = `curl -s ${url} -u any:key --aws-sigv4 aws:amz:us-east-1:dynamodb -H "X-Amz-Target: DynamoDB_20120810.ListTables" -H "Content-Type: application/x-amz-json-1.0" -d "{}"`;
  return (
    <div className={css.empty}>
      <h2>{t("empty")}</h2>
      <p>{t("hint", { url })}</p>
      <p>{t("emptyHint", { url })}</p>
      <p className={css.command}>
        <code>{command}</code>
        <Button
          tone="quiet"
          onPress={() => void navigator.clipboard.writeText(command).then(() => setCopied(true))}
        >
          <Copy aria-hidden size="1em" /> {t(copied ? "copied" : "copyCommand")}
        </Button>
      </p>
    </div>
  );
}
