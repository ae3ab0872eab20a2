import { create } from "zustand";
import { persist } from "zustand/middleware";
import type { Built } from "./data";

/** A request as it was understood: DynamoDB's operation and input, and nothing of how it was pasted or signed. */
export interface KeptRequest {
  /** Unlike any other's. */
  id: string;
  operation: string;
  input: unknown;
  /** What it does, in a sentence. */
  sentence: string;
  /** When it was kept or last sent, in milliseconds of the epoch. */
  at: number;
}

interface Lists {
  /** Those that somebody kept, the newest first. */
  kept: KeptRequest[];
  /** Those that were sent, the newest first. */
  sent: KeptRequest[];
}

interface Kept extends Lists {
  keep: (built: Built) => void;
  noteSent: (built: Built) => void;
  forget: (id: string) => void;
  forgetSent: () => void;
}

/** Most requests that are kept, and that stay in the list of what was sent. With the size of each, 4 MB at most. */
const MOST = { kept: 50, sent: 50 };
/** Characters of a request that fits: the browser spares some 5 MB. */
export const MOST_CHARACTERS = 40_000;

const textOf = ({ operation, input }: { operation: string; input: unknown }) =>
  JSON.stringify({ [operation]: input });

/** The request as a text that Build reads. */
export const readable = ({ operation, input }: KeptRequest) =>
  JSON.stringify({ [operation]: input }, null, 2);

/** A saved request's file, to download: `docs/requests.md` describes it, the server reads it. */
export function fileHref({ operation, input }: { operation: string; input: unknown }): string {
  const file = { bothways: "request", version: 1, operation, input };
  return `data:application/json;charset=utf-8,${encodeURIComponent(`${JSON.stringify(file, null, 2)}\n`)}`;
}

export const fits = (built: Built) => textOf(built).length <= MOST_CHARACTERS;

/** The list with the request in front, once, cut to what it holds. A request that does not fit changes nothing. */
export function withFirst(list: KeptRequest[], built: Built, at: number, most: number): KeptRequest[] {
  if (!fits(built)) return list;
  const text = textOf(built);
  const { operation, input, sentence } = built;
  const others = list.filter((each) => textOf(each) !== text);
  return [{ id: `${at}-${text.length}-${list.length}`, operation, input, sentence, at }, ...others].slice(
    0,
    most,
  );
}

/** Requests that outlive the page, in this browser only. Never a connection's credentials: no page has them. */
export const useKept = create<Kept>()(
  persist(
    (set) => ({
      kept: [],
      sent: [],
      keep: (built) => set(({ kept }) => ({ kept: withFirst(kept, built, Date.now(), MOST.kept) })),
      noteSent: (built) => set(({ sent }) => ({ sent: withFirst(sent, built, Date.now(), MOST.sent) })),
      forget: (id) => set(({ kept }) => ({ kept: kept.filter((each) => each.id !== id) })),
      forgetSent: () => set({ sent: [] }),
    }),
    {
      name: "bothways.requests",
      version: 1,
      partialize: ({ kept, sent }): Lists => ({ kept, sent }),
    },
  ),
);

/** What another page keeps is in this one's lists too. */
export function followOtherPages(): () => void {
  const changed = (event: StorageEvent) => {
    if (event.key === "bothways.requests") void useKept.persist.rehydrate();
  };
  window.addEventListener("storage", changed);
  return () => window.removeEventListener("storage", changed);
}
