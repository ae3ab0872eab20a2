import type { AttributeValue, Item } from "../api/client";

/** A request's placeholders: every name and value is aliased, so that no reserved word can bite. */
export class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, AttributeValue> = {};
  #n = 0;
  #v = 0;

  name(attribute: string): string {
    const known = Object.entries(this.names).find(([, a]) => a === attribute);
    if (known) return known[0];
    const alias = `#n${this.#n++}`;
    this.names[alias] = attribute;
    return alias;
  }

  value(value: AttributeValue): string {
    const alias = `:v${this.#v++}`;
    this.values[alias] = value;
    return alias;
  }

  /** Only the members that hold something: DynamoDB refuses empty ones. */
  members(): { ExpressionAttributeNames?: Record<string, string>; ExpressionAttributeValues?: Item } {
    return {
      ...(Object.keys(this.names).length > 0 ? { ExpressionAttributeNames: this.names } : {}),
      ...(Object.keys(this.values).length > 0 ? { ExpressionAttributeValues: this.values } : {}),
    };
  }
}
