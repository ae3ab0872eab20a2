import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { useTranslations } from "use-intl";
import { api, ask } from "../../api/client";
import { useHere } from "../../frame/here";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { modelsQuery } from "../both/data";
import {
  type Checked,
  documentQuery,
  dropDraft,
  type Finding,
  modelQuery,
  type Places,
  setBase,
  splice,
  useDrafts,
} from "./document";
import { Findings } from "./Findings";
import { KeysColumn } from "./KeysColumn";
import css from "./model.module.css";
import { isOvertaken, Overtaken } from "./Overtaken";
import { ProofColumn } from "./ProofColumn";
import { ReadsColumn } from "./ReadsColumn";
import { TomlPane } from "./TomlPane";

interface Props {
  connection: string;
  name: string;
  text: string;
  /** What the server shows; undefined where it has no such model, or has not said so yet. */
  now: string | undefined;
  /** The text differs from what the server shows. */
  changed: boolean;
  /** What the server shows is no longer what the text was made from. */
  overtaken: boolean;
  onText: (text: string) => void;
  /** The server says that another text was kept meanwhile. */
  onOvertaken: () => void;
}

/** The text and the form of one model: either can be changed, the other follows; what is wrong stands where it is. */
export function ModelEditor(props: Props) {
  const { connection, name, text, now, changed, overtaken, onText, onOvertaken } = props;
  const t = useTranslations("model");
  const nav = useTranslations("nav");
  const client = useQueryClient();
  const [file, setFile] = useState(false);
  const document = useQuery(documentQuery(connection, useDeferredValue(text)));
  const checked = document.data?.checked;
  // The form writes into the text by place: places of another text would hit the wrong words.
  const [moved, setMoved] = useState<{ text: string; places: Places } | null>(null);
  const current = document.data?.text === text && checked?.model ? checked.places : undefined;
  const places = current ?? (moved?.text === text ? moved.places : undefined);
  // While the text cannot be read the form stays as it was: what is being typed is in it.
  const [good, setGood] = useState<Checked | undefined>(undefined);
  if (checked?.model && checked !== good) setGood(checked);
  const set = (path: string, value: string) => {
    if (places === undefined) return;
    const next = splice(text, places, path, value);
    setMoved(next);
    onText(next.text);
  };
  const params = { path: { connection, model: name } };
  const keep = useMutation({
    mutationFn: (was: string | null) =>
      ask(api.PUT("/c/{connection}/models/{model}", { params, body: { toml: text, was } })),
    onSuccess: ({ model }) => {
      // At once: what is typed from now on is made from the text that was kept.
      if (model)
        client.setQueryData(modelQuery(connection, name).queryKey, (old) => ({
          ...model,
          firsts: old?.firsts ?? [],
        }));
      dropDraft(name);
      client.invalidateQueries({ queryKey: ["models"] });
      client.invalidateQueries({ queryKey: ["check"] });
    },
    onError: (error) => isOvertaken(error) && onOvertaken(),
  });
  const base = useDrafts((s) => s.bases[name]);
  const keepText = () => keep.mutate(now === undefined ? null : (base ?? now));
  const keepOver = () => {
    setBase(name, now ?? "");
    keep.mutate(now ?? null);
  };
  const apply = useMutation({
    mutationFn: () => ask(api.POST("/c/{connection}/models/{model}/apply", { params })),
    onSuccess: () =>
      client.invalidateQueries({
        predicate: ({ queryKey }) => ["models", "tables", "table"].includes(String(queryKey[0])),
      }),
  });
  const problems: Finding[] = checked?.problem ? [checked.problem] : (checked?.check?.findings ?? []);
  const broken = problems.some((p) => p.level === "error");
  const unchecked = document.error && (
    <ProblemPanel error={document.error} onRetry={() => document.refetch()} />
  );
  const model = good?.model;
  const shown = useQuery(modelsQuery(connection));
  const readOnly = useHere().place?.read_only ?? true;
  // The models that are listed are those whose table is there.
  const made = model && shown.data?.some((each) => each.name === name && each.table === model.table);
  const patterns = good?.check?.patterns ?? [];
  return (
    <div className={css.screen}>
      <header className={css.head}>
        <span className={css.kind}>{nav("model")}</span>
        <h1>{name}</h1>
        <span className={css.action}>
          {changed && !overtaken && (
            <Button tone="primary" isDisabled={broken || keep.isPending} onPress={keepText}>
              {t("keep")}
            </Button>
          )}
          {!changed && !readOnly && made !== undefined && (
            <Button
              tone={made ? "plain" : "primary"}
              isDisabled={broken || apply.isPending}
              onPress={() => apply.mutate()}
            >
              {t(made ? "compare" : "apply")}
            </Button>
          )}
        </span>
        <Button tone="quiet" aria-pressed={file} onPress={() => setFile(!file)}>
          TOML
        </Button>
        <a
          className={css.download}
          download={`${name}.toml`}
          href={`data:application/toml;charset=utf-8,${encodeURIComponent(text)}`}
        >
          <Download aria-hidden size="1em" /> {t("download")}
        </a>
      </header>
      {overtaken && now !== undefined && (
        <Overtaken now={now} mine={text} onMine={broken ? null : keepOver} onTheirs={() => dropDraft(name)} />
      )}
      {keep.error && !isOvertaken(keep.error) && <ProblemPanel error={keep.error} onRetry={keepText} />}
      {apply.error && <ProblemPanel error={apply.error} onRetry={() => apply.mutate()} />}
      {apply.data && (
        <div className={css.applied} role="status">
          <p>{t(`applied.${apply.data.outcome}`)}</p>
          <ul>
            {apply.data.differences.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
          <ReceiptLine receipt={apply.data.receipt} />
        </div>
      )}
      <Findings findings={problems} onShow={() => setFile(true)} />
      <div className={css.columns} data-file={file || undefined}>
        {model && (
          <>
            <ReadsColumn
              model={model}
              patterns={patterns}
              text={text}
              places={places}
              onText={onText}
              onSet={set}
            />
            <KeysColumn model={model} text={text} places={places} problems={problems} onSet={set} />
            {/* What is typed must not move when the check of it fails: the words stand where the proof would. */}
            {!file && (unchecked ?? <ProofColumn patterns={patterns} />)}
          </>
        )}
        {(file || !model) && <TomlPane text={text} problems={problems} onText={onText} />}
        {(file || !model) && unchecked}
      </div>
    </div>
  );
}
