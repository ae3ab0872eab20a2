import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Counter } from "../both/Counter";
import { EdgeCard } from "../both/EdgeCard";
import { EdgeList } from "../both/EdgeList";
import { useWords } from "../both/words";
import { Part, Shown, type State } from "./DesignScreen";
import css from "./design.module.css";
import { DIGITS, place, relation } from "./specimens";

const nothing = () => undefined;

const halves: [State, string, { peer: string; awaited?: boolean }][] = [
  ["chosen", "alice", { peer: "bob" }],
  ["rest", "alice", { peer: "dave", awaited: true }],
  ["digits", "drift", { peer: "bob" }],
  ["empty", "nobody", { peer: "" }],
  ["loading", "slow", { peer: "" }],
  ["error", "throttled", { peer: "" }],
];

/** The halves of the hinge and the card between them, from answers that are made up. */
export function Lists({ client }: { client: QueryClient }) {
  const words = useWords(relation);
  return (
    <QueryClientProvider client={client}>
      <Part name="Half">
        <div className={css.states}>
          {halves.map(([state, node, more]) => (
            <Shown key={`${state} ${node}`} state={state}>
              <EdgeList
                place={place}
                side="out"
                column="left"
                node={node}
                title={`${words.out(node)} (${state})`}
                where="follow"
                attributes={relation.attributes}
                onOpen={nothing}
                onFill={nothing}
                {...more}
              />
            </Shown>
          ))}
        </div>
      </Part>
      <Part name="Card">
        <div className={css.states}>
          {(["rest", "empty"] as const).map((state) => (
            <Shown key={state} state={state}>
              <EdgeCard
                place={place}
                relation={relation}
                source="alice"
                target={state === "rest" ? "bob" : "nobody"}
                onChoose={() => undefined}
                onEdit={nothing}
              />
            </Shown>
          ))}
          <Shown state="digits">
            <Counter value={DIGITS} />
          </Shown>
        </div>
      </Part>
    </QueryClientProvider>
  );
}
