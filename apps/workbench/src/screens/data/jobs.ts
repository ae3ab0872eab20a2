import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { api, ask, Problem } from "../../api/client";
import type { components } from "../../api/schema.gen";

export type DataJob = components["schemas"]["DataJob"];

const PART = 4 * 1024 * 1024;
const BUSY_MS = 500;
const IDLE_MS = 3000;

const active = (job: DataJob) => job.phase === "running" || job.phase === "waiting";

/** The jobs, asked for often while one is at work. */
export const jobsQuery = (connection: string) =>
  queryOptions({
    queryKey: ["data-jobs", connection],
    queryFn: ({ signal }) =>
      ask(api.GET("/c/{connection}/data/jobs", { params: { path: { connection } }, signal })),
    refetchInterval: ({ state }) => (state.data?.some(active) ? BUSY_MS : IDLE_MS),
  });

export type Word = "pause" | "resume" | "cancel" | "forget";

export function steer(connection: string, id: string, word: Word): Promise<DataJob> {
  const options = { params: { path: { connection, id } } };
  const paths = {
    pause: () => api.POST("/c/{connection}/data/jobs/{id}/pause", options),
    resume: () => api.POST("/c/{connection}/data/jobs/{id}/resume", options),
    cancel: () => api.POST("/c/{connection}/data/jobs/{id}/cancel", options),
    forget: () => api.POST("/c/{connection}/data/jobs/{id}/forget", options),
  };
  return ask(paths[word]());
}

/** The files that this page is sending, by job: they go on while other screens are open. */
const sending = new Set<string>();
export const isSending = (id: string) => sending.has(id);

/** Sends what the job lacks of its file, piece by piece, until it has all of it or takes no more. */
export async function sendFile(connection: string, job: DataJob, file: File): Promise<void> {
  if (sending.has(job.id)) return;
  sending.add(job.id);
  try {
    let at = job.received;
    while (at < file.size) {
      const address = `/api/v1/c/${encodeURIComponent(connection)}/data/jobs/${job.id}/part?at=${at}`;
      const answer = await fetch(address, { method: "POST", body: file.slice(at, at + PART) });
      if (!answer.ok) {
        const body = await answer.json();
        // A job that was cancelled meanwhile takes no more of its file, and that is as it should be.
        if (body.code === "JobOver") return;
        throw new Problem(body);
      }
      at = ((await answer.json()) as DataJob).received;
    }
  } finally {
    sending.delete(job.id);
  }
}

/** Takes an export from the server, piece by piece, and has the browser save it. */
export async function download(connection: string, job: DataJob): Promise<void> {
  const parts: Blob[] = [];
  for (let at = 0; at < job.done; ) {
    const address = `/api/v1/c/${encodeURIComponent(connection)}/data/jobs/${job.id}/file?at=${at}`;
    const answer = await fetch(address);
    if (!answer.ok) throw new Problem(await answer.json());
    const part = await answer.blob();
    if (part.size === 0) break;
    parts.push(part);
    at += part.size;
  }
  const url = URL.createObjectURL(new Blob(parts));
  const link = document.createElement("a");
  link.href = url;
  link.download = job.name;
  link.click();
  URL.revokeObjectURL(url);
}

/** Has the list of jobs asked for at once. */
export function useLookAgain(connection: string) {
  const client = useQueryClient();
  return useCallback(
    () => client.invalidateQueries({ queryKey: ["data-jobs", connection] }),
    [client, connection],
  );
}
