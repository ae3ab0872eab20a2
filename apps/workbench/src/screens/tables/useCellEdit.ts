import { useState } from "react";
import type { AttributeValue, Item } from "../../api/client";
import { keyText } from "../../lib/key";
import { readBase } from "./data";
import { type IndexInfo, keyOf, type TableInfo } from "./schema";
import { stage, stagedFor, useStaged } from "./staged";

export interface CellEdit {
  /** The cell being edited: its row's key, its column, and the whole item as it is in the table or staged. */
  editing: { key: string; column: string; base: Item } | null;
  error: unknown;
  edit: (item: Item, column: string) => void;
  done: (column: string, value: AttributeValue) => void;
  cancel: () => void;
}

interface Place {
  connection: string;
  table: TableInfo;
  from: IndexInfo | undefined;
  readOnly: boolean;
}

/** Editing in place. A row of an index that copies only some attributes reads its base item first. */
export function useCellEdit({ connection, table, from, readOnly }: Place): CellEdit {
  const [editing, setEditing] = useState<(CellEdit["editing"] & { before: Item }) | null>(null);
  const [error, setError] = useState<unknown>(null);
  const edit = async (item: Item, column: string) => {
    if (readOnly) return;
    setError(null);
    const key = keyText(keyOf(table, item));
    const change = stagedFor(useStaged.getState(), table, keyOf(table, item));
    if (change?.after === null) return;
    try {
      const before = change?.before ?? (await whole(connection, table, from, item));
      if (before !== undefined) setEditing({ key, column, before, base: change?.after ?? before });
    } catch (failed) {
      setError(failed);
    }
  };
  return {
    editing,
    error,
    edit,
    done: (column, value) => {
      if (editing === null) return;
      const after = { ...editing.base, [column]: value };
      const known = stagedFor(useStaged.getState(), table, keyOf(table, editing.before));
      const before = known ? known.before : editing.before;
      stage(connection, { table, key: keyOf(table, editing.before), before, after });
      setEditing(null);
    },
    cancel: () => setEditing(null),
  };
}

async function whole(
  connection: string,
  table: TableInfo,
  from: IndexInfo | undefined,
  item: Item,
): Promise<Item | undefined> {
  if (from === undefined || from.projects === "ALL") return item;
  const found = await readBase(connection, table, [item]);
  return found.get(keyText(keyOf(table, item)));
}
