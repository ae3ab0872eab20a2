/** The state of the screen, in the URL. */
export interface BuildSearch {
  /** The request as it was written or pasted. */
  q: string;
  /** The language of the program. */
  lang: string;
}

export const readBuild = (search: Record<string, unknown>): BuildSearch => ({
  q: typeof search.q === "string" ? search.q : "",
  lang: typeof search.lang === "string" && search.lang !== "" ? search.lang : "javascript",
});
