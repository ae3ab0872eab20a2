import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import type { Model } from "../../api/client";
import { fromHalves } from "../../lib/units";
import { useNumbers } from "../../lib/useNumbers";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { modelsQuery } from "../both/data";
import {
  checkQuery,
  firstIds,
  type Piece,
  type Proof,
  piecesOf,
  type Reading,
  searchOf,
  slotsOf,
} from "./reads";
import css from "./reads.module.css";
import { type KeyPart, partsOf, type TableInfo } from "./schema";
import { emptySearch, type Search } from "./search";

interface Props {
  connection: string;
  table: TableInfo;
  index: string;
  onRun: (search: Search) => void;
}

/** Bytes that one read unit reads. Source: API Reference, "Read request units". */
const UNIT_BYTES = 4096;

/** What can be read of a table before anything is: its models' reads, its keys, and what everything would cost. */
export function Reads({ connection, table, index, onRun }: Props) {
  const t = useTranslations("reads");
  const number = useNumbers();
  const models = useQuery(modelsQuery(connection));
  const own = models.data?.filter((model) => model.table === table.name) ?? [];
  const checks = useQueries({ queries: own.map((model) => checkQuery(connection, model.name)) });
  const error = models.error ?? checks.find((check) => check.error)?.error;
  if (error) return <ProblemPanel error={error} onRetry={() => models.refetch()} />;
  // All at once: lines that come one after the other would push what is being aimed at.
  if (!models.data || checks.some((check) => check.isPending)) return <div className={css.reads} />;
  const places = [{ name: "", keys: table.keys }, ...table.indexes].filter(
    (place) => index === "" || place.name === index,
  );
  return (
    <div className={css.reads}>
      {own.map((model, at) => (
        <section key={model.name} aria-label={t("ofModel", { model: model.name })}>
          <h2>{t("ofModel", { model: model.name })}</h2>
          <p className={css.heads} aria-hidden>
            <span className={css.words}>{t("headRead")}</span>
            <span>{t("headKey")}</span>
            <span>{t("headCost")}</span>
          </p>
          <ul>
            {checks[at]?.data?.patterns
              .filter(({ reading }) => reading && (index === "" || reading.index === index))
              .map((proof) => (
                <ReadLine
                  key={`${proof.name} ${proof.key}`}
                  model={model}
                  proof={proof}
                  reading={proof.reading as Reading}
                  table={table}
                  onRun={onRun}
                />
              ))}
          </ul>
        </section>
      ))}
      <section aria-label={t("byKey")}>
        <h2>{t("byKey")}</h2>
        <ul>
          {places.map((place) => (
            <KeyLine
              key={place.name}
              name={place.name || table.name}
              part={partsOf(place.keys)[0] as KeyPart}
              onRun={(pk) => onRun({ ...emptySearch, index: place.name, pk })}
            />
          ))}
        </ul>
      </section>
      <section aria-label={t("everything")}>
        <h2>{t("everything")}</h2>
        <p className={css.line}>
          <span className={css.words}>
            {t("scanCost", {
              items: table.items,
              rcu: number(fromHalves(Math.max(1, Math.ceil(table.bytes / UNIT_BYTES)))),
            })}
          </span>
          <Button onPress={() => onRun({ ...emptySearch, index, scan: true })}>
            <span className={css.scan}>Scan</span>
          </Button>
        </p>
      </section>
      {own.length === 0 && (
        <section aria-label={t("noModel")}>
          <h2>{t("noModel")}</h2>
          <Link to="/c/$connection/model" params={{ connection }} search={{ from: table.name }}>
            {t("infer")}
          </Link>
        </section>
      )}
    </div>
  );
}

interface LineProps {
  model: Model;
  proof: Proof;
  reading: Reading;
  table: TableInfo;
  onRun: (search: Search) => void;
}

/** One read in the model's words, its key with the ids to fill in. */
function ReadLine({ model, proof, reading, table, onRun }: LineProps) {
  const t = useTranslations("reads");
  const ofModel = useTranslations("model");
  const [ids, setIds] = useState<Record<string, string>>(() => firstIds(model, proof));
  const ready = slotsOf(reading).every((slot) => (ids[slot] ?? "") !== "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready) onRun(searchOf(table, reading, ids));
  };
  const piece = (each: Piece, at: number) =>
    "text" in each ? (
      <code key={at}>{each.text}</code>
    ) : (
      <input
        key={at}
        aria-label={t("slot", { slot: each.slot, read: proof.name })}
        placeholder={each.slot}
        value={ids[each.slot] ?? ""}
        spellCheck={false}
        onChange={(event) => setIds({ ...ids, [each.slot]: event.target.value })}
      />
    );
  return (
    <li>
      <form className={css.line} onSubmit={submit}>
        <span className={css.words}>{proof.name}</span>
        <span className={css.where}>{reading.index ?? table.name}</span>
        <span className={css.key}>{piecesOf(reading.pk).map(piece)}</span>
        {reading.sk && (
          <span className={css.key}>
            {!reading.exact && <code className={css.where}>begins_with</code>}
            {piecesOf(reading.sk).map(piece)}
          </span>
        )}
        <span className={css.cost}>
          <strong>{proof.units}</strong>
          {proof.items > 1 && <span>{ofModel("forItems", { n: proof.items })}</span>}
        </span>
        <Button
          type="submit"
          isDisabled={!ready}
          aria-label={t("run", { operation: proof.operation, read: proof.name })}
        >
          {proof.operation}
        </Button>
      </form>
    </li>
  );
}

function KeyLine({ name, part, onRun }: { name: string; part: KeyPart; onRun: (pk: string) => void }) {
  const t = useTranslations("reads");
  const [text, setText] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text !== "") onRun(text);
  };
  return (
    <li>
      <form className={css.line} onSubmit={submit}>
        <span className={css.words}>{name}</span>
        <label className={css.key}>
          <code>{part.name} =</code>
          <input value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />
        </label>
        <Button
          type="submit"
          isDisabled={text === ""}
          aria-label={t("run", { operation: "Query", read: name })}
        >
          Query
        </Button>
      </form>
    </li>
  );
}
