import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { EdgeCard } from "../both/EdgeCard";
import { EdgeList } from "../both/EdgeList";
import { useWords } from "../both/words";
import { Matrix, type Specimens, type State } from "./DesignScreen";
import { DIGITS, LONG, place, relation } from "./specimens";

const nothing = () => undefined;

/** By state: whose list, and which row of it is tied to the card. */
const halves: Record<State, [node: string, peer: string] | null> = {
  rest: ["alice", "dave"],
  hover: ["alice", ""],
  focus: ["alice", ""],
  chosen: ["alice", "bob"],
  disabled: null,
  empty: ["nobody", ""],
  loading: ["slow", ""],
  error: ["throttled", ""],
  long: [LONG, ""],
  digits: ["drift", "bob"],
};
/** By state: the target of alice's edge. */
const cards: Record<State, string | null> = {
  rest: "bob",
  hover: "bob",
  focus: "bob",
  chosen: null,
  disabled: null,
  empty: "nobody",
  loading: "slow",
  error: "throttled",
  long: LONG,
  digits: DIGITS,
};

const each = <T,>(by: Record<State, T | null>, render: (state: State, what: T) => Specimens[State]) =>
  Object.fromEntries(
    Object.entries(by).map(([state, what]) => [
      state,
      what === null ? null : render(state as State, what as T),
    ]),
  ) as Specimens;

/** The halves of the hinge and the card between them, from answers that are made up. */
export function Lists({ client }: { client: QueryClient }) {
  const words = useWords(relation);
  return (
    <QueryClientProvider client={client}>
      <Matrix
        name="Half"
        specimens={each(halves, (state, [node, peer]) => (
          <EdgeList
            place={place}
            side="out"
            column="left"
            node={node}
            peer={peer}
            awaited={state === "rest"}
            title={`${words.out(node)} (${state})`}
            where="follow"
            attributes={relation.attributes}
            peers={relation.target}
            onOpen={nothing}
            onFill={nothing}
          />
        ))}
      />
      <Matrix
        name="Card"
        specimens={each(cards, (_, target) => (
          <EdgeCard
            place={place}
            relation={relation}
            source="alice"
            target={target}
            onChoose={nothing}
            onEdit={nothing}
          />
        ))}
      />
    </QueryClientProvider>
  );
}
