import { useQuery } from "@tanstack/react-query";
import { CircleX, Hammer, X } from "lucide-react";
import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { api, type Item, Problem } from "../../api/client";
import { GoLink } from "../../frame/GoLink";
import { buildHref } from "../../lib/places";
import { Button } from "../../parts/Button";
import { ItemTable } from "../../parts/ItemTable";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { milliseconds } from "../../parts/ReceiptLine";
import css from "./live.module.css";
import { Members } from "./Members";
import type { SeenWhole } from "./seen";

interface Props {
  connection: string;
  number: string;
  onClose: () => void;
}

/** One request with its answer, in words and as it was sent. */
export function RequestDetail({ connection, number, onClose }: Props) {
  const t = useTranslations("live");
  const whole = useQuery({
    queryKey: ["seen", connection, number],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const params = { path: { connection, number: Number(number) } };
      const { data, error } = await api.GET("/c/{connection}/live/{number}", { params, signal });
      if (data === undefined) throw new Problem(error);
      return data;
    },
  });
  return (
    <section
      className={css.detail}
      aria-label={t("detail", { n: number })}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <header className={css.detailHead}>
        <h2>{whole.data?.request.operation ?? t("detail", { n: number })}</h2>
        {whole.data?.build && (
          <GoLink className={css.action} href={buildHref(connection, whole.data.build)}>
            <Hammer aria-hidden size="1em" /> {t("openInBuild")}
          </GoLink>
        )}
        <Button tone="quiet" aria-label={t("close")} onPress={onClose}>
          <X aria-hidden size="1.25em" />
        </Button>
      </header>
      {whole.error && <ProblemPanel error={whole.error} />}
      {whole.data && <Whole whole={whole.data} />}
    </section>
  );
}

function Whole({ whole }: { whole: SeenWhole }) {
  const t = useTranslations("live");
  const receipt = useTranslations("receipt");
  const format = useFormatter();
  const [raw, setRaw] = useState(false);
  const { request } = whole;
  const facts = [
    format.dateTime(request.at, { dateStyle: "medium", timeStyle: "medium" }),
    [request.tables.join(", "), request.index].filter(Boolean).join(" · "),
    request.scanned !== null && request.count !== null && request.operation !== "GetItem"
      ? t("sees", { scanned: request.scanned, count: request.count })
      : "",
    request.read_units === "0" ? "" : receipt("rcu", { n: request.read_units }),
    request.write_units === "0" ? "" : receipt("wcu", { n: request.write_units }),
    receipt("ms", { n: milliseconds(request.micros) }),
  ].filter((fact) => fact !== "");
  return (
    <>
      {whole.sentence && <p className={css.sentence}>{whole.sentence}</p>}
      <p className={css.facts}>
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      {request.error && (
        <p className={css.refused}>
          <CircleX aria-hidden size="1em" /> <strong>{request.error}</strong> {whole.message}
        </p>
      )}
      <div className={css.part}>
        <h3>{t("request")}</h3>
        <Button tone="quiet" aria-pressed={raw} onPress={() => setRaw(!raw)}>
          {t(raw ? "readable" : "asJson")}
        </Button>
      </div>
      {whole.input === null ? (
        <p className={css.quiet}>{t("tooLong", { n: whole.input_bytes })}</p>
      ) : raw ? (
        <Json value={whole.input} label={t("request")} />
      ) : (
        <Members members={whole.input} />
      )}
      {!request.error && (
        <>
          <div className={css.part}>
            <h3>{t("answer")}</h3>
          </div>
          {whole.output === null ? (
            <p className={css.quiet}>{t("tooLong", { n: whole.output_bytes })}</p>
          ) : raw ? (
            <Json value={whole.output} label={t("answer")} />
          ) : (
            <Answer output={whole.output} />
          )}
        </>
      )}
    </>
  );
}

/** Items of an answer that are drawn. */
const ITEMS = 20;

function Answer({ output }: { output: Record<string, unknown> }) {
  const t = useTranslations("live");
  const one = (output.Item ?? output.Attributes) as Item | undefined;
  const many = output.Items as Item[] | undefined;
  const { Item: _, Attributes: __, Items: ___, ...rest } = output;
  if (Object.keys(output).length === 0) return <p className={css.quiet}>{t("emptyAnswer")}</p>;
  return (
    <>
      {one && <ItemTable item={one} />}
      {many && <p className={css.quiet}>{t("items", { n: many.length })}</p>}
      {many?.slice(0, ITEMS).map((item, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items of one answer, in its order
        <div key={i} className={css.item}>
          <ItemTable item={item} />
        </div>
      ))}
      {many && many.length > ITEMS && (
        <p className={css.quiet}>{t("moreItems", { n: many.length - ITEMS })}</p>
      )}
      {Object.keys(rest).length > 0 && <Members members={rest} />}
    </>
  );
}

function Json({ value, label }: { value: unknown; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section className={css.json} tabIndex={0} aria-label={label}>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </section>
  );
}
