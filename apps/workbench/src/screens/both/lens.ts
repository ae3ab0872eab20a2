import type { Model, Relation } from "../../api/client";
import type { BothSearch, Place } from "../../lib/places";

/** What every lens is given. */
export interface LensProps {
  place: Place;
  search: BothSearch;
  /** Unknown until the models are read. */
  model: Model | undefined;
  relation: Relation | undefined;
  /** The node of the node lens and the map. */
  node: { e: string; n: string };
  readOnly: boolean;
}
