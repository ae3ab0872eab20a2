import createClient from "openapi-fetch";
import { record, recordAnswer, recordProblem } from "../lib/ledger";
import type { components, paths } from "./schema.gen";

type Schemas = components["schemas"];
export type AttributeValue = Record<string, unknown>;
export type Item = Record<string, AttributeValue>;
export type Receipt = Schemas["Receipt"];
export type RequestReceipt = Schemas["RequestReceipt"];
export type Model = Schemas["Model"];
export type Relation = Schemas["Relation"];
export type Edge = Schemas["Edge"];
export type EdgePage = Schemas["EdgePage"];
export type EdgeView = Schemas["EdgeView"];
export type EntityView = Schemas["EntityView"];
export type Outcome = Schemas["Outcome"];
export type Connection = Schemas["Connection"];
export type ProblemBody = Schemas["Problem"];

/** An answer that says no, with DynamoDB's words and ours. `code` is "offline" when none came. */
export class Problem extends Error {
  readonly body: ProblemBody;
  constructor(body: ProblemBody) {
    super(body.message);
    this.name = "Problem";
    this.body = body;
  }
}

export const api = createClient<paths>({ baseUrl: "/api/v1" });

function refused(body: ProblemBody): Problem {
  recordProblem(body);
  return new Problem(body);
}

type Answer<T> = { data?: T | undefined; error?: unknown };

/** Takes the data out of an answer, notes its receipt in the session's ledger, or throws the problem. */
export async function ask<T>(answer: Promise<Answer<T>>): Promise<T> {
  let got: Answer<T>;
  try {
    got = await answer;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw refused({ code: "offline", message: String(cause) });
  }
  if (got.data === undefined) {
    const body = got.error as Partial<ProblemBody> | undefined;
    throw refused({ ...body, code: body?.code ?? "unknown", message: body?.message ?? "" });
  }
  const receipt = (got.data as { receipt?: Receipt }).receipt;
  if (receipt) record(receipt);
  else recordAnswer();
  return got.data;
}
