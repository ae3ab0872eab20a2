import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { useTranslations } from "use-intl";
import { api, ask } from "../../api/client";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { type Checked, documentQuery, type Finding, type Places, splice } from "./document";
import { Findings } from "./Findings";
import { KeysColumn } from "./KeysColumn";
import css from "./model.module.css";
import { ProofColumn } from "./ProofColumn";
import { ReadsColumn } from "./ReadsColumn";
import { TomlPane } from "./TomlPane";

interface Props {
  connection: string;
  name: string;
  text: string;
  /** The text differs from what the server shows. */
  changed: boolean;
  onText: (text: string) => void;
  onKept: () => void;
}

/** The text and the form of one model: either can be changed, the other follows; what is wrong stands where it is. */
export function ModelEditor({ connection, name, text, changed, onText, onKept }: Props) {
  const t = useTranslations("model");
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
    mutationFn: () => ask(api.PUT("/c/{connection}/models/{model}", { params, body: { toml: text } })),
    onSuccess: () => {
      onKept();
      client.invalidateQueries({ queryKey: ["models"] });
      client.invalidateQueries({ queryKey: ["check"] });
    },
  });
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
  const patterns = good?.check?.patterns ?? [];
  return (
    <div className={css.screen}>
      <header className={css.head}>
        <h1>{name}</h1>
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
        <span className={css.action}>
          {changed && (
            <Button tone="primary" isDisabled={broken || keep.isPending} onPress={() => keep.mutate()}>
              {t("keep")}
            </Button>
          )}
          {!changed && (
            <Button isDisabled={broken || apply.isPending} onPress={() => apply.mutate()}>
              {t("apply")}
            </Button>
          )}
        </span>
      </header>
      {(keep.error ?? apply.error) && (
        <ProblemPanel
          error={keep.error ?? apply.error}
          onRetry={() => (keep.error ? keep.mutate() : apply.mutate())}
        />
      )}
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
