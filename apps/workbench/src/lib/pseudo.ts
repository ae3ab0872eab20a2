const accents: Record<string, string> = { a: "á", e: "é", i: "í", o: "ó", u: "ú", n: "ñ", c: "ç", y: "ý" };
/** Longer by this share than English, as translations are. */
const LONGER = 0.4;

/** One message made longer, its placeholders untouched. */
function lengthen(message: string): string {
  let depth = 0;
  let words = 0;
  const text = [...message]
    .map((c) => {
      if (c === "{") depth += 1;
      else if (c === "}") depth -= 1;
      else if (depth === 0) {
        words += 1;
        return accents[c] ?? c;
      }
      return c;
    })
    .join("");
  return `${text}${"·".repeat(Math.ceil(words * LONGER))}`;
}

/** English, 40 % longer: what is cut with it would be cut in some language. */
export function pseudo<T>(messages: T): T {
  if (typeof messages === "string") return lengthen(messages) as T;
  return Object.fromEntries(
    Object.entries(messages as Record<string, unknown>).map(([k, v]) => [k, pseudo(v)]),
  ) as T;
}
