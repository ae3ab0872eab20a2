import { create } from "zustand";
import { type Item, Problem, type Receipt } from "../../api/client";
import { keyText } from "../../lib/key";
import { type Action, batchesOf } from "./actions";
import { type Change, differences, sameItem } from "./change";
import { type Sent, send } from "./data";
import { keyOf, type TableInfo } from "./schema";

interface Staged {
  connection: string;
  changes: Map<string, Change>;
  /** The changes of the last commit, for undo. */
  committed: Change[];
  /** What the last commit sent, and what it cost. */
  receipt: Receipt;
  /** Whether the review is open. */
  reviewing: boolean;
}

const id = (table: TableInfo, key: Item) => `${table.name}\n${keyText(key)}`;

const NOTHING: Receipt = { requests: [], sent: [] };

/** Changes collected like a git index, over all tables of a connection. */
export const useStaged = create<Staged>(() => ({
  connection: "",
  changes: new Map(),
  committed: [],
  receipt: NOTHING,
  reviewing: false,
}));

export const stagedFor = (staged: Staged, table: TableInfo, key: Item): Change | undefined =>
  staged.changes.get(id(table, key));

/** Stages changes; one that ends where it began is dropped. */
export function stage(connection: string, ...staged: Change[]): void {
  useStaged.setState((s) => {
    const changes = new Map(s.connection === connection ? s.changes : []);
    for (const change of staged) {
      const at = id(change.table, change.key);
      const first = changes.get(at);
      const whole = first ? { ...change, before: first.before } : change;
      if (sameItem(whole.before, whole.after)) changes.delete(at);
      else changes.set(at, whole);
    }
    return { ...s, connection, changes, committed: [] };
  });
}

export function reject(change: Change): void {
  useStaged.setState((s) => {
    const changes = new Map(s.changes);
    changes.delete(id(change.table, change.key));
    return { ...s, changes };
  });
}

export function rejectAll(): void {
  useStaged.setState({ changes: new Map(), reviewing: false });
}

/** A commit that was refused: the problem, and the actions of the transaction that it was about. */
export class CommitRefused extends Problem {
  readonly actions: Action[];
  constructor(problem: Problem, actions: Action[]) {
    super(problem.body);
    this.actions = actions;
  }
}

/** Commits what is staged, in as few transactions as there can be; what was committed leaves the stage. */
export async function commit(): Promise<void> {
  const { connection, changes } = useStaged.getState();
  const committed: Change[] = [];
  const receipt: Receipt = { requests: [], sent: [] };
  try {
    for (const batch of batchesOf([...changes.values()])) {
      const answer = await sendBatch(connection, batch);
      receipt.requests.push(...answer.receipt.requests);
      receipt.sent.push(...answer.receipt.sent);
      committed.push(...new Set(batch.map((action) => action.change)));
    }
  } finally {
    useStaged.setState((s) => {
      const left = new Map(s.changes);
      for (const change of committed) left.delete(id(change.table, change.key));
      const done = committed.length > 0 ? { committed, receipt } : {};
      return { ...s, changes: left, ...done };
    });
  }
}

async function sendBatch(connection: string, batch: Action[]): Promise<Sent> {
  try {
    return await send(connection, "TransactWriteItems", {
      TransactItems: batch.map((action) => action.wire),
      ClientRequestToken: crypto.randomUUID(),
    });
  } catch (error) {
    throw error instanceof Problem ? new CommitRefused(error, batch) : error;
  }
}

/** Takes what is in the table now as what was seen, and keeps the staged attributes: the next commit is over it. */
export function rebase(change: Change, now: Item | null): void {
  useStaged.setState((s) => {
    const changes = new Map(s.changes);
    const at = id(change.table, change.key);
    if (change.after === null) {
      if (now === null) changes.delete(at);
      else changes.set(at, { ...change, before: now });
      return { ...s, changes };
    }
    const after: Item = { ...(now ?? change.before ?? {}) };
    for (const { name, after: value } of differences(change)) {
      if (value === undefined) delete after[name];
      else after[name] = value;
    }
    if (sameItem(now, after)) changes.delete(at);
    else changes.set(at, { ...change, before: now, after });
    return { ...s, changes };
  });
}

/** Stages the opposite of the last commit, for review like any other change. */
export function undo(): void {
  useStaged.setState((s) => {
    const changes = new Map(s.changes);
    for (const { table, key, before, after } of s.committed) {
      const there = after === null ? key : keyOf(table, after);
      changes.set(id(table, there), { table, key: there, before: after, after: before });
    }
    return { ...s, changes, committed: [] };
  });
}
