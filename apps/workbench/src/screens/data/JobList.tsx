import { useMutation, useQuery } from "@tanstack/react-query";
import { Download, Pause, Play, X } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { GoLink } from "../../frame/GoLink";
import { tablesHref } from "../../lib/places";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import css from "./data.module.css";
import {
  type DataJob,
  download,
  isSending,
  jobsQuery,
  sendFile,
  steer,
  useLookAgain,
  type Word,
} from "./jobs";
import { sizeText } from "./sample";

/** What is at work and what was, the newest first. */
export function JobList({ connection }: { connection: string }) {
  const t = useTranslations("data");
  const jobs = useQuery(jobsQuery(connection));
  return (
    <section className={css.jobs} aria-label={t("jobs")}>
      <h2>{t("jobs")}</h2>
      {jobs.error && <ProblemPanel error={jobs.error} onRetry={() => jobs.refetch()} />}
      {jobs.data?.length === 0 && <p className={css.quiet}>{t("noJobs")}</p>}
      <ul>
        {jobs.data?.map((job) => (
          <li key={job.id}>
            <Job connection={connection} job={job} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Job({ connection, job }: { connection: string; job: DataJob }) {
  const t = useTranslations("data");
  const again = useLookAgain(connection);
  const [other, setOther] = useState<number | null>(null);
  const act = useMutation({
    mutationFn: (word: Word) => steer(connection, job.id, word),
    onSuccess: again,
  });
  const save = useMutation({ mutationFn: () => download(connection, job) });
  const over = job.phase === "done" || job.phase === "failed" || job.phase === "cancelled";
  const whole = job.kind === "import" ? job.size : (job.estimate ?? 0);
  const done = job.kind === "import" ? job.done : job.written;
  const share = job.phase === "done" ? 1 : whole === 0 ? undefined : Math.min(1, done / whole);
  const rate = job.millis > 0 ? Math.round((job.written * 1000) / job.millis) : 0;
  const lacks = job.kind === "import" && !over && job.received < job.size && !isSending(job.id);
  const bytes = job.kind === "import" ? { done: job.done, size: job.size } : null;
  const rest = (file: File | undefined) => {
    if (file === undefined) return;
    setOther(file.size === job.size ? null : file.size);
    if (file.size === job.size) void sendFile(connection, job, file).catch(() => undefined);
  };
  return (
    <article className={css.job} data-phase={job.phase} aria-label={`${job.kind} ${job.id}`}>
      <h3>{t(`kind.${job.kind}`, { name: job.name, table: job.table })}</h3>
      <p className={css.phase}>{t(`phase.${job.phase}`)}</p>
      <progress max={1} {...(share !== undefined && { value: share })} aria-label={job.name} />
      <p className={css.counts}>
        {t("counts", { written: job.written, rate: rate.toLocaleString("en") })}
        {bytes && ` · ${t("bytes", { done: sizeText(bytes.done), size: sizeText(bytes.size) })}`}
        {job.kind === "export" && ` · ${sizeText(job.done)}`}
      </p>
      <p className={css.buttons}>
        {job.phase === "paused" && (
          <Button tone="primary" onPress={() => act.mutate("resume")}>
            <Play aria-hidden size="1em" /> {t("resume")}
          </Button>
        )}
        {(job.phase === "running" || job.phase === "waiting") && (
          <Button onPress={() => act.mutate("pause")}>
            <Pause aria-hidden size="1em" /> {t("pause")}
          </Button>
        )}
        {job.phase === "failed" && <Button onPress={() => act.mutate("resume")}>{t("again")}</Button>}
        {!over && (
          <Button tone="quiet" onPress={() => act.mutate("cancel")}>
            <X aria-hidden size="1em" /> {t("cancel")}
          </Button>
        )}
        {job.kind === "export" && job.phase === "done" && (
          <Button tone="primary" isDisabled={save.isPending} onPress={() => save.mutate()}>
            <Download aria-hidden size="1em" /> {t("download")}
          </Button>
        )}
        {job.kind !== "export" && job.phase === "done" && (
          <GoLink href={tablesHref(connection, job.table)}>{t("openTable", { table: job.table })}</GoLink>
        )}
        {over && (
          <Button tone="quiet" onPress={() => act.mutate("forget")}>
            {t("forget")}
          </Button>
        )}
        {lacks && (
          <label className={css.rest}>
            {t("rest")}
            <input type="file" onChange={(event) => rest(event.target.files?.[0])} />
          </label>
        )}
      </p>
      {other !== null && (
        <p className={css.bad}>{t("otherFile", { size: sizeText(other), wanted: sizeText(job.size) })}</p>
      )}
      {job.error && <p className={css.bad}>{job.error}</p>}
      {(act.error || save.error) && <ProblemPanel error={act.error ?? save.error} />}
      {job.rejected > 0 && (
        <details>
          <summary>{t("rejected", { n: job.rejected })}</summary>
          <ul className={css.rejects}>
            {job.rejects.map((reject) => (
              <li key={reject.line}>
                <span>{t("line", { n: reject.line })}</span> {reject.why}
              </li>
            ))}
          </ul>
        </details>
      )}
    </article>
  );
}
