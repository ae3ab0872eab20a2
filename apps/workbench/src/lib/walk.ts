import { create } from "zustand";

/** One place that was walked through. */
export interface Step {
  label: string;
  href: string;
}

/** Steps that are remembered; the top bar shows the newest of them. */
const HELD = 30;

/** The walk of this session from edge to edge and node to node, the newest last. */
export const useWalk = create<{ steps: Step[] }>(() => ({ steps: [] }));

/** Notes where the walk is now. Coming back to a step drops what came after it. */
export function walkTo(step: Step): void {
  useWalk.setState(({ steps }) => {
    const known = steps.findIndex((s) => s.href === step.href);
    const before = known < 0 ? steps : steps.slice(0, known);
    return { steps: [...before, step].slice(-HELD) };
  });
}
