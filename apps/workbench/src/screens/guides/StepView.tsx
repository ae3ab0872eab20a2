import { Play } from "lucide-react";
import { useTranslations } from "use-intl";
import { GoLink } from "../../frame/GoLink";
import { buildHref } from "../../lib/places";
import { Button } from "../../parts/Button";
import type { Ran, Running } from "./data";
import css from "./guides.module.css";
import type { Step } from "./markdown";

interface StepProps {
  connection: string;
  step: Step;
  /** How many commands have been run; null where none can be. */
  ran: number | null;
  running: Running;
}

/** A command, what it prints, and the button that runs it. */
export function StepView({ connection, step, ran, running }: StepProps) {
  const t = useTranslations("guides");
  const printed = running.printed.get(step.number);
  const request = step.command.match(/^bothways run '(.*)'$/)?.[1];
  const label = ran !== null && step.number > ran ? "runUpTo" : "run";
  return (
    <section className={css.step} aria-label={t("step", { n: step.number + 1 })}>
      <div className={css.line}>
        <code>
          <span aria-hidden>$ </span>
          {step.command}
        </code>
        <div className={css.buttons}>
          {ran !== null && (
            <Button
              tone={step.number === ran ? "primary" : "plain"}
              isDisabled={running.busy !== null}
              aria-label={t("runStep", { label: t(label), n: step.number + 1 })}
              onPress={() => void running.run(step.number)}
            >
              <Play aria-hidden size="1em" /> {t(running.busy === step.number ? "running" : label)}
            </Button>
          )}
          {request !== undefined && (
            <GoLink className={css.open} href={buildHref(connection, request)}>
              {t("openInBuild")}
            </GoLink>
          )}
        </div>
      </div>
      {printed === undefined ? (
        <Output mark={t("asWritten")} out={step.output} />
      ) : (
        <Printed printed={printed} />
      )}
    </section>
  );
}

function Printed({ printed }: { printed: Ran }) {
  const t = useTranslations("guides");
  const mark = t("ranIn", { n: printed.milliseconds, exit: printed.exit });
  return (
    <Output
      mark={mark}
      out={printed.out.trimEnd()}
      talk={printed.talk.trimEnd()}
      {...(printed.exit === 0 ? {} : { refused: true })}
    />
  );
}

interface OutputProps {
  mark: string;
  out: string;
  talk?: string;
  refused?: boolean;
}

function Output({ mark, out, talk = "", refused }: OutputProps) {
  return (
    <figure className={css.output} data-live={talk !== "" || undefined} data-refused={refused}>
      <figcaption>{mark}</figcaption>
      {out !== "" && <pre>{out}</pre>}
      {talk !== "" && <pre className={css.talk}>{talk}</pre>}
    </figure>
  );
}
