import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { dropDraft, modelQuery, setDraft, useDrafts } from "./document";
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
  const base = useDrafts((s) => s.bases[name]);
  if (model.error && draft === undefined)
    return <ProblemPanel error={model.error} onRetry={() => model.refetch()} />;
  const text = draft ?? model.data?.toml;
  // A draft waits too: that another was kept meanwhile must not push what is being read.
  if (text === undefined || model.isPending)
    return <div className={css.screen} role="status" aria-label={t("keys")} />;
  const now = model.data?.toml;
  const changed = draft !== undefined && draft !== now;
  return (
    <ModelEditor
      connection={connection}
      name={name}
      text={text}
      now={now}
      changed={changed}
      // Until it is known what is kept now, nothing is known to be in the way.
      overtaken={changed && now !== undefined && base !== undefined && base !== now}
      onText={(next) => (next === now ? dropDraft(name) : setDraft(name, next, now ?? ""))}
      onOvertaken={() => void model.refetch()}
    />
  );
}
