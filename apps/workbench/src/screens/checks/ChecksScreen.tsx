import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import views from "../../parts/tabs.module.css";
import { connectionsQuery, modelsQuery } from "../both/data";
import { tableQuery } from "../tables/data";
import { CountersTab } from "./CountersTab";
import css from "./checks.module.css";
import { PatternsTab } from "./PatternsTab";
import { PitfallsTab } from "./PitfallsTab";
import type { Ends } from "./run";

export const tabs = ["patterns", "counters", "pitfalls"] as const;
export type Tab = (typeof tabs)[number];

interface Props {
  connection: string;
  name: string;
  tab: Tab;
  ends: Ends;
}

/** Whether what the model promises is so: its reads run, its counters compared, its traps named. */
export function ChecksScreen({ connection, name, tab, ends }: Props) {
  const t = useTranslations("checks");
  const navigate = useNavigate();
  const models = useQuery(modelsQuery(connection));
  const model = models.data?.find((each) => each.name === name);
  const table = useQuery({ ...tableQuery(connection, model?.table ?? ""), enabled: model !== undefined });
  const connections = useQuery(connectionsQuery);
  const readOnly = connections.data?.find((c) => c.name === connection)?.read_only ?? true;
  const error = models.error ?? table.error;
  if (error) return <ProblemPanel error={error} onRetry={() => models.refetch()} />;
  return (
    <div className={css.screen}>
      <header className={css.head}>
        <h1>{t("title", { model: name })}</h1>
        <span className={views.tabs}>
          {tabs.map((each) => (
            <Button
              key={each}
              tone="quiet"
              aria-pressed={tab === each}
              onPress={() =>
                navigate({
                  to: "/c/$connection/checks/$model",
                  params: { connection, model: name },
                  search: each === "patterns" ? {} : { tab: each },
                })
              }
            >
              {t(each)}
            </Button>
          ))}
        </span>
      </header>
      {model && table.data && tab === "patterns" && (
        <PatternsTab connection={connection} model={model} table={table.data} ends={ends} />
      )}
      {model && table.data && tab === "counters" && (
        <CountersTab connection={connection} readOnly={readOnly} model={model} table={table.data} />
      )}
      {model && table.data && tab === "pitfalls" && (
        <PitfallsTab connection={connection} model={model} table={table.data} />
      )}
    </div>
  );
}
