/** What can lie over the screen, one at a time. */
export type OverlayName = "palette" | "keys" | "history" | "rail";
