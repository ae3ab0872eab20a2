import { create } from "zustand";
import type { Receipt } from "../api/client";
import { halves } from "./units";

interface Ledger {
  requests: number;
  readHalves: number;
  writeHalves: number;
  scans: number;
}

/** What this session has sent and what it cost: the status bar's line. */
export const useLedger = create<Ledger>(() => ({ requests: 0, readHalves: 0, writeHalves: 0, scans: 0 }));

export function record(receipt: Receipt): void {
  useLedger.setState((l) => {
    const next = { ...l };
    for (const r of receipt.requests) {
      const sent = Math.max(1, r.pages);
      next.requests += sent;
      next.readHalves += halves(r.read_units);
      next.writeHalves += halves(r.write_units);
      if (r.operation === "Scan") next.scans += sent;
    }
    return next;
  });
}
