import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, type Model, Problem } from "../../api/client";
import type { components } from "../../api/schema.gen";
import { fill } from "../tables/reads";
import type { BuildSearch } from "./search";

export type Built = components["schemas"]["Built"];

/** What a request is. A text that is none yet is no trouble of the session's: it is not noted in its history. */
export const buildQuery = (connection: string, { q, lang }: BuildSearch) =>
  queryOptions({
    queryKey: ["build", connection, q, lang],
    enabled: q.trim() !== "",
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Built> => {
      const params = { path: { connection } };
      const { data, error } = await api.POST("/c/{connection}/build", {
        params,
        body: { text: q, language: lang },
        signal,
      });
      if (data === undefined) throw new Problem(error);
      return data;
    },
  });

export interface Example {
  name: "list" | "edge" | "statement" | "write";
  text: string;
}

/** Requests over the model's first relation, one in each form that can be read. */
export function examplesOf(model: Model | undefined): Example[] {
  const relation = model?.relations.find((r) => r.name === model.firsts[0]?.relation) ?? model?.relations[0];
  if (model === undefined || relation === undefined) return [];
  const [pk = "PK", sk = "SK"] = relation.key_names;
  const [indexPk, indexSk] = relation.index_key_names;
  const ids = { src: model.firsts[0]?.source ?? "a", dst: model.firsts[0]?.target ?? "b" };
  const [source, edge] = [fill(relation.pk, ids), fill(relation.sk, ids)];
  const prefix = (template: string) => template.slice(0, template.indexOf("{"));
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  const key = { [pk]: { S: source }, [sk]: { S: edge } };
  const examples: Example[] = [];
  if (indexPk && indexSk) {
    const values = JSON.stringify({
      ":p": { S: fill(relation.index_pk, ids) },
      ":s": { S: prefix(relation.index_sk) },
    });
    examples.push({
      name: "list",
      text: [
        "aws dynamodb query",
        `  --table-name ${model.table} --index-name ${relation.index}`,
        `  --key-condition-expression "${indexPk} = :p AND begins_with(${indexSk}, :s)"`,
        `  --expression-attribute-values '${values}'`,
      ].join(" \\\n"),
    });
  }
  examples.push(
    { name: "edge", text: json({ TableName: model.table, Key: key, ConsistentRead: true }) },
    {
      name: "statement",
      text: `SELECT * FROM "${model.table}"\nWHERE "${pk}" = '${source}' AND begins_with("${sk}", '${prefix(relation.sk)}')`,
    },
    {
      name: "write",
      text: json({
        TableName: model.table,
        Key: key,
        UpdateExpression: "SET seen = if_not_exists(seen, :zero) + :one",
        ConditionExpression: `attribute_exists(${pk})`,
        ExpressionAttributeValues: { ":zero": { N: "0" }, ":one": { N: "1" } },
        ReturnValues: "ALL_NEW",
      }),
    },
  );
  return examples;
}
