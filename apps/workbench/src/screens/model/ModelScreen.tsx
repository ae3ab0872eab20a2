import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { modelQuery, setDraft, useDrafts } from "./document";
import { ModelEditor } from "./ModelEditor";
import css from "./model.module.css";
import { NewModel } from "./NewModel";

interface Props {
  connection: string;
  /** The open model; a new one is begun where it is empty. */
  name: string;
  /** The table that a new one is inferred from. */
  from?: string;
}

/** A model as one designs it: the reads, the keys that serve them, and the proof that they do. */
export function ModelScreen({ connection, name, from = "" }: Props) {
  if (name === "") return <NewModel connection={connection} from={from} />;
  return <OpenModel key={name} connection={connection} name={name} />;
}

function OpenModel({ connection, name }: { connection: string; name: string }) {
  const t = useTranslations("model");
  const model = useQuery(modelQuery(connection, name));
  const draft = useDrafts((s) => s.texts[name]);
  if (model.error && draft === undefined)
    return <ProblemPanel error={model.error} onRetry={() => model.refetch()} />;
  const text = draft ?? model.data?.toml;
  if (text === undefined) return <div className={css.screen} role="status" aria-label={t("keys")} />;
  const kept = model.data?.toml ?? "";
  return (
    <ModelEditor
      connection={connection}
      name={name}
      text={text}
      changed={draft !== undefined && draft !== kept}
      onText={(next) => setDraft(name, next === kept ? null : next)}
      onKept={() => {
        setDraft(name, null);
        model.refetch();
      }}
    />
  );
}
