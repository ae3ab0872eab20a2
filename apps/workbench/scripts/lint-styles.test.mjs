import { describe, expect, it } from "vitest";
import { faultsIn } from "./lint-styles.mjs";

describe("the lint of styles", () => {
  it.each([
    ["a.module.css", "  color: #fff;"],
    ["a.module.css", "  background: rgb(0 0 0 / 50%);"],
    ["a.module.css", "  border: var(--hairline) solid red;"],
    ["a.module.css", "  font-size: 13px;"],
    ["a.module.css", "  padding: 0 0.5rem;"],
    ["a.module.css", "  gap: 4px;"],
    ["a.module.css", "  width: calc(var(--space-7) + 1px);"],
    ["A.tsx", '<p style={{ color: "#ff0000" }} />'],
    ["A.tsx", '<p style={{ marginTop: "4px" }} />'],
    ["A.tsx", "<p style={{ padding: 8 }} />"],
  ])("refuses in %s: %s", (name, line) => expect(faultsIn(name, line)).not.toEqual([]));

  it.each([
    ["a.module.css", "  padding: 0 var(--space-2);"],
    ["a.module.css", "  width: calc(var(--space-7) * 3);"],
    ["a.module.css", "  color: var(--accent);"],
    ["a.module.css", "  white-space: nowrap;"],
    ["a.module.css", "  width: 100%;"],
    ["tokens.css", "  --ground: #fbfbfa;"],
    ["A.tsx", '<Copy aria-hidden size="1em" />'],
    ["A.tsx", "style={{ width: `var(--space-1)` }}"],
  ])("lets stand in %s: %s", (name, line) => expect(faultsIn(name, line)).toEqual([]));
});
