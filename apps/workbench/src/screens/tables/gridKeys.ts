import type { KeyboardEvent } from "react";

/** What keys can do in the grid. */
export interface GridKeys {
  /** Moves the active cell by rows and columns. */
  by: (rows: number, columns: number) => void;
  first: () => void;
  last: () => void;
  open: () => void;
  edit: () => void;
  toggle: (extend: boolean) => void;
  all: () => void;
  leave: () => void;
}

const PAGE_ROWS = 20;

/** Does what a key of the grid stands for; false where it stands for nothing here. */
export function pressed(event: KeyboardEvent, keys: GridKeys): boolean {
  if (event.altKey) return false;
  if (event.ctrlKey || event.metaKey) {
    if (event.key !== "a") return false;
    keys.all();
    return true;
  }
  switch (event.key) {
    case "ArrowDown":
      keys.by(1, 0);
      return true;
    case "ArrowUp":
      keys.by(-1, 0);
      return true;
    case "ArrowRight":
      keys.by(0, 1);
      return true;
    case "ArrowLeft":
      keys.by(0, -1);
      return true;
    case "PageDown":
      keys.by(PAGE_ROWS, 0);
      return true;
    case "PageUp":
      keys.by(-PAGE_ROWS, 0);
      return true;
    case "Home":
      keys.first();
      return true;
    case "End":
      keys.last();
      return true;
    case "Enter":
      keys.open();
      return true;
    case "F2":
      keys.edit();
      return true;
    case " ":
      keys.toggle(event.shiftKey);
      return true;
    case "Escape":
      keys.leave();
      return true;
    default:
      return false;
  }
}
