import { create } from "zustand";
import type { ProblemBody, Receipt } from "../api/client";
import { halves } from "./units";

/** One answer of the session: what was sent for it, from which screen, and how it ended. */
export interface Entry {
  id: number;
  at: number;
  /** The address of the screen that asked, to open it again. */
  href: string;
  receipt: Receipt;
  problem: ProblemBody | null;
}

interface Ledger {
  requests: number;
  readHalves: number;
  writeHalves: number;
  scans: number;
  /** The newest first. */
  entries: Entry[];
  /** Why the last question had no answer: nobody there, or credentials that are no longer good. */
  trouble: "offline" | "expired" | null;
}

/** Answers that the history holds; older ones stay in the sums. */
const HELD = 100;
const EXPIRED =
  /^(ExpiredToken(Exception)?|UnrecognizedClientException|InvalidSignatureException|CredentialsUnavailable)$/;

/** What this session has sent and what it cost: the status bar's line and the history. */
export const useLedger = create<Ledger>(() => ({
  requests: 0,
  readHalves: 0,
  writeHalves: 0,
  scans: 0,
  entries: [],
  trouble: null,
}));

let last = 0;

const entry = (receipt: Receipt, problem: ProblemBody | null): Entry => {
  last += 1;
  const href = `${location.pathname}${location.search}`;
  return { id: last, at: Date.now(), href, receipt, problem };
};

/** Notes an answer. Answers that took no request, such as the list of connections, are not history. */
export function record(receipt: Receipt): void {
  useLedger.setState((l) => {
    const next = { ...l, trouble: null };
    for (const r of receipt.requests) {
      const sent = Math.max(1, r.pages);
      next.requests += sent;
      next.readHalves += halves(r.read_units);
      next.writeHalves += halves(r.write_units);
      if (r.operation === "Scan") next.scans += sent;
    }
    if (receipt.requests.length > 0) next.entries = [entry(receipt, null), ...l.entries].slice(0, HELD);
    return next;
  });
}

/** Notes that an answer came that took no request: whatever was in the way of the last one is gone. */
export function recordAnswer(): void {
  if (useLedger.getState().trouble !== null) useLedger.setState({ trouble: null });
}

/** Notes a refusal, or that no answer came. */
export function recordProblem(problem: ProblemBody): void {
  useLedger.setState((l) => ({
    trouble: problem.code === "offline" ? "offline" : EXPIRED.test(problem.code) ? "expired" : null,
    entries: [entry({ requests: [], sent: [] }, problem), ...l.entries].slice(0, HELD),
  }));
}
