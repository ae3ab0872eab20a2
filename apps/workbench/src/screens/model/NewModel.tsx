import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plus, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { api, ask } from "../../api/client";
import { fromHalves } from "../../lib/units";
import { useNumbers } from "../../lib/useNumbers";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { Waiting } from "../../parts/Waiting";
import { SAMPLE, sampleHalves } from "../checks/PitfallsTab";
import { tableQuery, tablesQuery } from "../tables/data";
import { dropDraft, modelOf, type Sentence, setDraft } from "./document";
import css from "./model.module.css";

const empty: Sentence = { from: "", out: "", to: "", back: "" };

/** A model begins with what somebody wants to know, or with a table that is there. */
export function NewModel({ connection, from }: { connection: string; from: string }) {
  const t = useTranslations("newModel");
  return (
    <div className={css.screen}>
      <header className={css.head}>
        <h1>{t("title")}</h1>
      </header>
      <div className={css.begin}>
        <FromReads connection={connection} />
        <FromTable key={from} connection={connection} from={from} />
      </div>
    </div>
  );
}

function useOpen(connection: string) {
  const navigate = useNavigate();
  return (name: string, text: string) => {
    dropDraft(name);
    setDraft(name, text, "");
    navigate({ to: "/c/$connection/model/$model", params: { connection, model: name } });
  };
}

function FromReads({ connection }: { connection: string }) {
  const t = useTranslations("newModel");
  const open = useOpen(connection);
  const [name, setName] = useState("");
  const [sentences, setSentences] = useState([{ id: 0, ...empty }]);
  const whole = sentences.filter((s) => [s.from, s.out, s.to, s.back].every((word) => word.trim() !== ""));
  const named = /^[A-Za-z0-9_.-]{3,255}$/.test(name);
  const set = (id: number, change: Partial<Sentence>) =>
    setSentences(sentences.map((s) => (s.id === id ? { ...s, ...change } : s)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (named && whole.length > 0) open(name, modelOf(name, whole));
  };
  const word = (id: number, at: keyof Sentence, value: string) => (
    <input
      aria-label={t(at)}
      placeholder={t(`example.${at}`)}
      value={value}
      onChange={(event) => set(id, { [at]: event.target.value })}
    />
  );
  return (
    <form onSubmit={submit} aria-label={t("fromReads")}>
      <h2>{t("fromReads")}</h2>
      <label className={css.field}>
        <span>{t("name")}</span>
        <input value={name} spellCheck={false} onChange={(event) => setName(event.target.value)} />
      </label>
      <ul className={css.sentences}>
        {sentences.map(({ id, from, out, to, back }) => (
          <li key={id}>
            <span>
              {word(id, "from", from)} {word(id, "out", out)} {word(id, "to", to)}
            </span>
            <span>
              <em>{to || t("example.to")}</em> {word(id, "back", back)} <em>{from || t("example.from")}</em>
            </span>
            {sentences.length > 1 && (
              <Button
                tone="quiet"
                aria-label={t("remove")}
                onPress={() => setSentences(sentences.filter((s) => s.id !== id))}
              >
                <X aria-hidden size="1em" />
              </Button>
            )}
          </li>
        ))}
      </ul>
      <p className={css.buttons}>
        <Button
          tone="quiet"
          onPress={() =>
            setSentences([...sentences, { ...empty, id: Math.max(...sentences.map((s) => s.id)) + 1 }])
          }
        >
          <Plus aria-hidden size="1em" /> {t("addSentence")}
        </Button>
        <Button type="submit" tone="primary" isDisabled={!named || whole.length === 0}>
          {t("design")}
        </Button>
      </p>
      <p className={css.hint}>{t("designHint")}</p>
    </form>
  );
}

function FromTable({ connection, from }: { connection: string; from: string }) {
  const t = useTranslations("newModel");
  const open = useOpen(connection);
  const tables = useQuery(tablesQuery(connection));
  const [chosen, setTable] = useState(from);
  const table = chosen === "" ? (tables.data?.[0] ?? "") : chosen;
  const described = useQuery(tableQuery(connection, table));
  const number = useNumbers();
  const infer = useMutation({
    mutationFn: ({ name, stop }: { name: string; stop: AbortController }) =>
      ask(
        api.POST("/c/{connection}/infer", {
          params: { path: { connection } },
          body: { table: name },
          signal: stop.signal,
        }),
      ),
  });
  const begin = () => infer.mutate({ name: table, stop: new AbortController() });
  const refused = infer.error?.name === "AbortError" ? null : infer.error;
  const found = infer.data;
  return (
    <section aria-label={t("fromTable")}>
      <h2>{t("fromTable")}</h2>
      {tables.error && <ProblemPanel error={tables.error} onRetry={() => tables.refetch()} />}
      <p className={css.buttons}>
        <select aria-label={t("table")} value={table} onChange={(event) => setTable(event.target.value)}>
          {(tables.data ?? [table]).map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <Button isDisabled={table === "" || infer.isPending} onPress={begin}>
          {t("infer")}
        </Button>
      </p>
      <p className={css.hint}>{t("inferHint")}</p>
      {described.data && (
        <p className={css.hint}>
          {t("inferCost", {
            items: described.data.items,
            rcu: number(fromHalves(sampleHalves(described.data, SAMPLE))),
          })}
        </p>
      )}
      {infer.isPending && <Waiting onCancel={() => infer.variables?.stop.abort()} />}
      {refused && <ProblemPanel error={refused} onRetry={begin} />}
      {found && !infer.isPending && (
        <>
          <p role="status">{t(found.whole ? "sampledAll" : "sampled", { n: found.sampled })}</p>
          <ul className={css.evidence}>
            {found.evidence.map((each) => (
              <li key={`${each.place} ${each.text}`} data-assumed={each.assumed || undefined}>
                <strong>{each.place || table}</strong> {each.assumed && <em>{t("assumed")}</em>} {each.text}
              </li>
            ))}
          </ul>
          <ReceiptLine receipt={found.receipt} />
          <p className={css.buttons}>
            <Button tone="primary" onPress={() => open(table, found.toml)}>
              {t("openIt")}
            </Button>
          </p>
        </>
      )}
    </section>
  );
}
