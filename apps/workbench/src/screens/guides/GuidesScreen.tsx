import { useQuery } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { useLocale, useTranslations } from "use-intl";
import { GoLink } from "../../frame/GoLink";
import { useCommands } from "../../lib/commands";
import { guideHref } from "../../lib/places";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { guideQuery, guidesQuery, type Running, useRunning } from "./data";
import css from "./guides.module.css";
import { type Block, parse } from "./markdown";
import { Prose } from "./Prose";
import { StepView } from "./StepView";

/** The guides of the documentation, with commands that run. */
export function GuidesScreen({ connection, guide }: { connection: string; guide: string }) {
  const t = useTranslations("guides");
  const language = useLocale();
  const all = useQuery(guidesQuery(language));
  const read = useQuery(guideQuery(guide, language));
  const ran = read.data?.ran ?? null;
  const running = useRunning(guide, ran ?? 0);
  const count = read.data?.commands.length ?? 0;
  const next = ran !== null && ran < count && running.busy === null ? ran : null;
  useCommands(
    next === null
      ? []
      : [
          {
            id: "guides/next",
            group: "actions",
            label: t("runNext", { n: next + 1 }),
            keys: "n",
            run: () => void running.run(next),
          },
        ],
  );
  // Both at once: what comes first does not move for what comes next.
  if (!read.error && !(all.data && read.data)) return null;
  return (
    <div className={css.screen}>
      <header className={css.head}>
        <nav aria-label={t("title")}>
          {(all.data ?? []).map(({ name, title }) => (
            <GoLink
              key={name}
              href={guideHref(connection, name)}
              aria-current={name === guide ? "page" : undefined}
            >
              {title}
            </GoLink>
          ))}
        </nav>
        {ran !== null && (
          <>
            <p role="status">{t("progress", { ran, all: count })}</p>
            <Button
              tone="quiet"
              isDisabled={ran === 0 || running.busy !== null}
              onPress={() => void running.restart()}
            >
              <RotateCcw aria-hidden size="1em" /> {t("restart")}
            </Button>
          </>
        )}
      </header>
      {running.problem !== null && <ProblemPanel error={running.problem} />}
      {read.error && <ProblemPanel error={read.error} onRetry={() => void read.refetch()} />}
      {read.data && (
        <article className={css.guide} lang={read.data.language}>
          {ran !== null && <p className={css.hint}>{t("hint")}</p>}
          {parse(read.data.text).map((block, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of one text stay where they are
            <BlockView key={at} connection={connection} block={block} ran={ran} running={running} />
          ))}
        </article>
      )}
    </div>
  );
}

interface BlockProps {
  connection: string;
  block: Block;
  ran: number | null;
  running: Running;
}

function BlockView({ connection, block, ran, running }: BlockProps) {
  switch (block.kind) {
    case "heading": {
      const text = <Prose connection={connection} text={block.text} />;
      return block.level === 1 ? <h1>{text}</h1> : <h2>{text}</h2>;
    }
    case "text":
      return (
        <p>
          <Prose connection={connection} text={block.text} />
        </p>
      );
    case "code":
      return <pre className={css.code}>{block.text}</pre>;
    case "table":
      return <Rows connection={connection} head={block.head} rows={block.rows} />;
    case "commands":
      return block.steps.map((step) => (
        <StepView key={step.number} connection={connection} step={step} ran={ran} running={running} />
      ));
  }
}

function Rows({ connection, head, rows }: { connection: string; head: string[]; rows: string[][] }) {
  return (
    <table>
      <thead>
        <tr>
          {head.map((cell) => (
            <th key={cell} scope="col">
              <Prose connection={connection} text={cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.join("|")}>
            {row.map((cell) => (
              <td key={cell}>
                <Prose connection={connection} text={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
