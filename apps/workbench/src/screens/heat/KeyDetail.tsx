import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { api, ask } from "../../api/client";
import { GoLink } from "../../frame/GoLink";
import { nodeHref } from "../../lib/places";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import live from "../live/live.module.css";
import css from "./heat.module.css";
import { Lab } from "./Lab";
import { type Heat, type HeatKey, idOf, LIMITS, lengthOf, rateOf, short, type Tracks, UNITS } from "./rates";
import { useKeyWords } from "./words";

/** About how long shards take to be added: nobody may go by the old map any more. */
const SECONDS = 17;

interface Props {
  connection: string;
  readOnly: boolean;
  heat: Heat;
  tracks: Tracks;
  index: string | null;
  hot: HeatKey;
  onClose: () => void;
}

const path = "/c/{connection}/models/{model}/relations/{relation}/shards";

/** A hot key: whose it is, what its list's keys take now, and what shards would do. */
export function KeyDetail({ connection, readOnly, heat, tracks, index, hot, onClose }: Props) {
  const t = useTranslations("heat");
  const words = useKeyWords();
  const { name } = hot;
  const title = words(hot) || hot.words;
  return (
    <section
      className={live.detail}
      aria-label={t("details", { name: title })}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <header className={live.detailHead}>
        <h2>{title}</h2>
        <Button tone="quiet" aria-label={t("close")} onPress={onClose}>
          <X aria-hidden size="1.25em" />
        </Button>
      </header>
      <p className={live.facts}>
        <code>{hot.words}</code>
      </p>
      <dl className={css.figures}>
        {(["writes", "reads"] as const).map((by) => (
          <div key={by}>
            <dt>{t(by)}</dt>
            <dd>{t("rate", { n: short(rateOf(tracks.get(idOf(index, hot)), by)), unit: UNITS[by] })}</dd>
          </div>
        ))}
      </dl>
      {name && name.relation !== null && (
        <Shards
          connection={connection}
          readOnly={readOnly}
          heat={heat}
          tracks={tracks}
          model={name.model}
          relation={name.relation}
          entity={name.entity}
          id={name.id}
        />
      )}
      {name?.kind === "node" && <p className={live.quiet}>{t("itself")}</p>}
    </section>
  );
}

interface ShardsProps {
  connection: string;
  readOnly: boolean;
  heat: Heat;
  tracks: Tracks;
  model: string;
  relation: string;
  entity: string;
  id: string;
}

function Shards({ connection, readOnly, heat, tracks, model, relation, entity, id }: ShardsProps) {
  const t = useTranslations("heat");
  const client = useQueryClient();
  const place = { connection, model, relation };
  const key = ["shards", place, id];
  const shards = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => ask(api.GET(path, { params: { path: place, query: { node: id } }, signal })),
  });
  const [before, setBefore] = useState<{ keys: number; rate: number } | null>(null);
  const resize = useMutation({
    mutationFn: (to: number) => ask(api.POST(path, { params: { path: place }, body: { node: id, to } })),
    onMutate: () => setBefore({ keys: keys.length, rate: busiest }),
    onSuccess: (data) => client.setQueryData(key, data),
  });
  const rates = new Map(
    heat.places.flatMap((at) =>
      at.keys.flatMap((hot): [string, number][] => {
        const own = hot.name?.kind === "in" && hot.name.relation === relation && hot.name.id === id;
        return own ? [[String(hot.name?.shard), rateOf(tracks.get(idOf(at.index, hot)), "writes")]] : [];
      }),
    ),
  );
  const keys = (shards.data?.keys ?? []).map((one) => ({ ...one, rate: rates.get(String(one.shard)) ?? 0 }));
  const busiest = Math.max(...keys.map((one) => one.rate), 0);
  if (shards.error) return <ProblemPanel error={shards.error} onRetry={() => shards.refetch()} />;
  if (!shards.data) return null;
  const { data } = shards;
  const said = (keysHeld: number, rate: number) =>
    t("beforeAfter", { keys: keysHeld, n: short(rate), unit: UNITS.writes });
  return (
    <>
      <p>
        <GoLink href={nodeHref(place, entity, id)}>{t("openNode", { id })}</GoLink>
      </p>
      {data.most <= 1 ? (
        <p className={live.quiet}>{t("noRule", { rule: 'shard = { pk = "…#{k}", max = 64 }' })}</p>
      ) : (
        <Lab
          lab={data.lab}
          now={data.write}
          rate={busiest}
          allowed={!readOnly && !resize.isPending}
          onResize={(to) => resize.mutate(to)}
        />
      )}
      {readOnly && <p className={live.quiet}>{t("readOnly")}</p>}
      {resize.error && <ProblemPanel error={resize.error} />}
      {before && (
        <div className={css.slot}>
          {resize.isPending && <Progress />}
          {resize.isSuccess && (
            <dl className={css.compare}>
              <div>
                <dt>{t("before")}</dt>
                <dd>{said(before.keys, before.rate)}</dd>
              </div>
              <div>
                <dt>{t("after")}</dt>
                <dd>{busiest > 0 ? said(keys.length, busiest) : t("waitTraffic")}</dd>
              </div>
            </dl>
          )}
        </div>
      )}
      <div className={css.keysHead}>
        <h3>{t("keysNow")}</h3>
        <span className={css.quiet}>{t("spreadOver", { n: data.write })}</span>
      </div>
      <ul className={css.keys} aria-label={t("keysNow")}>
        {keys.map((one) => (
          <li key={one.partition}>
            <span title={one.partition}>
              {one.shard === null ? t("plainKey") : t("shard", { n: one.shard })}
            </span>
            <span className={css.bar} data-hot={one.rate > LIMITS.writes / 2 || undefined}>
              <i
                data-some={one.rate > 0 || undefined}
                style={{ width: `${lengthOf(one.rate, "writes") * 100}%` }}
              />
            </span>
            <span className={css.rate}>{t("rate", { n: short(one.rate), unit: UNITS.writes })}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Progress() {
  const t = useTranslations("heat");
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => setSeconds((n) => n + 1), 1000);
    return () => window.clearInterval(timer);
  }, []);
  return (
    <div className={css.progress} role="status">
      <progress max={SECONDS} value={Math.min(seconds, SECONDS)} aria-label={t("spread", { n: "" })} />
      <p>{t("spreading", { seconds, whole: SECONDS })}</p>
    </div>
  );
}
