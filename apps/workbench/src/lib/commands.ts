import { useEffect, useId } from "react";
import { useSettings } from "./settings";

/** The groups of the palette and of the sheet of keys, in their order. */
export const groups = ["actions", "screens", "models", "nodes", "tables", "settings"] as const;
export type Group = (typeof groups)[number];

/** One thing that can be done from the palette or by keys. */
export interface Command {
  id: string;
  group: Group;
  label: string;
  /** Keys in order, as `g b`, `?` or `mod+k`; `mod` is ⌘ on a Mac and Ctrl elsewhere. */
  keys?: string;
  /** Runs also while text is being edited or a dialog is open. */
  always?: boolean;
  run: () => void;
}

/** A second key of a sequence comes within this time. */
const SEQUENCE_MS = 1200;

const registered = new Map<string, Command[]>();

/** Everything that can be done on what is in sight, by group. */
export function allCommands(): Command[] {
  const all = [...registered.values()].flat();
  return groups.flatMap((group) => all.filter((command) => command.group === group));
}

/** Offers commands while the calling component is in sight. */
export function useCommands(commands: Command[]): void {
  const id = useId();
  useEffect(() => {
    registered.set(id, commands);
    return () => {
      registered.delete(id);
    };
  });
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Keys as people read them. */
export function keysInWords(keys: string): string[] {
  return keys.split(" ").map((key) => {
    if (key.startsWith("mod+")) return `${isMac ? "⌘" : "Ctrl "}${key.slice(4).toUpperCase()}`;
    return key;
  });
}

const token = (event: KeyboardEvent) =>
  `${event.ctrlKey || event.metaKey ? "mod+" : ""}${event.key.length === 1 ? event.key.toLowerCase() : event.key}`;

const isEdited = (target: EventTarget | null) =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;

/** Listens for the keys of every offered command. While something covers the screen, only for those that always run. */
export function useKeyboard(isCovered: boolean): void {
  useEffect(() => {
    let first = "";
    let since = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.isComposing) return;
      const key = token(event);
      const sequence = first !== "" && event.timeStamp - since < SEQUENCE_MS ? `${first} ${key}` : key;
      first = "";
      const busy = isCovered || isEdited(event.target) || document.querySelector("[role=dialog]") !== null;
      const single = useSettings.getState().singleKeys;
      const usable = allCommands().filter(
        (c) => c.keys !== undefined && (c.always || (!busy && (single || c.keys.startsWith("mod+")))),
      );
      const found = usable.find((c) => c.keys === sequence);
      if (found) {
        event.preventDefault();
        event.stopPropagation();
        found.run();
      } else if (sequence === key && usable.some((c) => c.keys?.startsWith(`${key} `))) {
        first = key;
        since = event.timeStamp;
      }
    };
    window.addEventListener("keydown", onKey, true);
    return () => window.removeEventListener("keydown", onKey, true);
  }, [isCovered]);
}
