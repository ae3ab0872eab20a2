import { useEffect, useRef, useState } from "react";
import { api, type Item, Problem, type ProblemBody } from "../../api/client";

/** A change of an item, as a stream has it. */
export interface StreamRecord {
  id: string;
  kind: "INSERT" | "MODIFY" | "REMOVE";
  /** Seconds of the epoch; DynamoDB says them to the second. */
  at: number;
  keys: Item;
  before: Item | null;
  after: Item | null;
  /** Who changed it, where it was no request: the service itself, for items whose time is up. */
  service: string | null;
}

interface WireRecord {
  eventID: string;
  eventName: StreamRecord["kind"];
  userIdentity?: { PrincipalId?: string };
  dynamodb: {
    ApproximateCreationDateTime?: number;
    Keys?: Item;
    NewImage?: Item;
    OldImage?: Item;
    SequenceNumber: string;
  };
}

export function readRecord(wire: WireRecord): StreamRecord {
  return {
    id: wire.eventID,
    kind: wire.eventName,
    at: wire.dynamodb.ApproximateCreationDateTime ?? 0,
    keys: wire.dynamodb.Keys ?? {},
    before: wire.dynamodb.OldImage ?? null,
    after: wire.dynamodb.NewImage ?? null,
    service: wire.userIdentity?.PrincipalId ?? null,
  };
}

export interface Change {
  name: string;
  before: Item[string] | undefined;
  after: Item[string] | undefined;
  changed: boolean;
}

/** The attributes of both images: what changed first, then the rest, each by name. */
export function changesOf({ before, after }: StreamRecord): Change[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  const all = names.map((name) => {
    const [old, now] = [before?.[name], after?.[name]];
    return { name, before: old, after: now, changed: JSON.stringify(old) !== JSON.stringify(now) };
  });
  return [...all.filter((each) => each.changed), ...all.filter((each) => !each.changed)];
}

/** Records that the page holds. */
export const HELD = 1000;
const ASK_MS = 1000;
/** While there is more, the next question follows at once. */
const CATCH_UP_MS = 20;
const TROUBLE_MS = 4000;
/** Shards are looked for again after so many rounds. */
const ROUNDS = 10;
/** Records of one answer, DynamoDB's most; it gives fewer where they come to 1 MB. */
const LIMIT = 1000;

type Output = Record<string, unknown>;

/** Reading on is no request that the session's history would want to list. */
async function ask(connection: string, operation: string, input: Output, signal: AbortSignal) {
  const { data, error } = await api
    .POST("/c/{connection}/request", {
      params: { path: { connection } },
      body: { operation, input },
      signal,
    })
    .catch((cause): { data?: undefined; error: ProblemBody } => ({
      error: { code: "offline", message: String(cause) },
    }));
  if (data === undefined) throw new Problem(error);
  return data.output as Output;
}

/** Where one shard is read: its iterator, none where it is read to its end; and the last record that was seen. */
interface Place {
  iterator: string | null;
  last: string | null;
}

/** A stream that is read from its beginning, and then on. */
class Reader {
  private readonly places = new Map<string, Place>();
  private rounds = 0;
  constructor(
    private readonly connection: string,
    private readonly arn: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Records that came since, in the order of each shard. */
  async round(): Promise<StreamRecord[]> {
    if (this.rounds % ROUNDS === 0) await this.look();
    this.rounds += 1;
    const came: StreamRecord[] = [];
    for (const [shard, place] of this.places) {
      if (place.iterator !== null) came.push(...(await this.read(shard, place, place.iterator)));
    }
    return came;
  }

  private async read(shard: string, place: Place, iterator: string): Promise<StreamRecord[]> {
    try {
      const output = await this.ask("GetRecords", { ShardIterator: iterator, Limit: LIMIT });
      const records = output.Records as WireRecord[];
      place.iterator = (output.NextShardIterator as string | undefined) ?? null;
      place.last = records.at(-1)?.dynamodb.SequenceNumber ?? place.last;
      return records.map(readRecord);
    } catch (error) {
      // An iterator lasts a quarter of an hour: after a long pause the next one goes on behind the last record.
      if (!(error instanceof Problem && error.body.code.startsWith("ExpiredIterator"))) throw error;
      place.iterator = await this.iterator(shard, place.last);
      return [];
    }
  }

  private async look(): Promise<void> {
    let start: string | undefined;
    do {
      const { StreamDescription } = await this.ask("DescribeStream", {
        StreamArn: this.arn,
        ...(start === undefined ? {} : { ExclusiveStartShardId: start }),
      });
      const described = StreamDescription as { Shards: { ShardId: string }[]; LastEvaluatedShardId?: string };
      for (const { ShardId } of described.Shards) {
        if (this.places.has(ShardId)) continue;
        this.places.set(ShardId, { iterator: await this.iterator(ShardId, null), last: null });
      }
      start = described.LastEvaluatedShardId;
    } while (start !== undefined);
  }

  private async iterator(shard: string, last: string | null): Promise<string> {
    const where =
      last === null
        ? { ShardIteratorType: "TRIM_HORIZON" }
        : { ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber: last };
    const output = await this.ask("GetShardIterator", { StreamArn: this.arn, ShardId: shard, ...where });
    return output.ShardIterator as string;
  }

  private ask(operation: string, input: Output): Promise<Output> {
    return ask(this.connection, operation, input, this.signal);
  }
}

export interface Records {
  /** The newest first. */
  rows: StreamRecord[];
  problem: Problem | null;
  settled: boolean;
}

const nothing: Records = { rows: [], problem: null, settled: false };

/** What a stream's shards say, from its beginning; while paused nothing is asked. */
export function useRecords(connection: string, arn: string, paused: boolean): Records {
  const [records, setRecords] = useState(nothing);
  const reader = useRef<Reader | null>(null);
  const isPaused = useRef(paused);
  isPaused.current = paused;
  useEffect(() => {
    const stop = new AbortController();
    reader.current = new Reader(connection, arn, stop.signal);
    let timer = 0;
    const round = async () => {
      let wait = ASK_MS;
      if (!isPaused.current) {
        try {
          const came = (await reader.current?.round()) ?? [];
          if (came.length > 0) wait = CATCH_UP_MS;
          setRecords(({ rows }) => ({ rows: newest(came, rows), problem: null, settled: true }));
        } catch (error) {
          if (stop.signal.aborted) return;
          wait = TROUBLE_MS;
          const problem =
            error instanceof Problem ? error : new Problem({ code: "unknown", message: String(error) });
          setRecords((before) => ({ ...before, problem, settled: true }));
        }
      }
      if (!stop.signal.aborted) timer = window.setTimeout(round, wait);
    };
    void round();
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [connection, arn]);
  return records;
}

/** The newest first; of two shards' records of one second, those that came last. */
export function newest(came: StreamRecord[], before: StreamRecord[]): StreamRecord[] {
  if (came.length === 0) return before;
  return [...came.reverse(), ...before].sort((a, b) => b.at - a.at).slice(0, HELD);
}
