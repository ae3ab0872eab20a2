import { useTranslations } from "use-intl";
import type { Relation } from "../../api/client";

/** Relations whose words the pages know in every language, by how the model reads them forwards. */
const known = {
  follows: "follows",
  "is enrolled in": "enrolled",
  likes: "likes",
  "is friends with": "friends",
  "is a member of": "member",
} as const;

export interface Words {
  /** Between source and target. */
  verb: string;
  out: (node: string) => string;
  in: (node: string) => string;
  link: string;
  unlink: string;
}

/** How a relation is read and written about: in the session's language where it is known, else in the model's words. */
export function useWords(relation: Relation | undefined): Words {
  const t = useTranslations("words");
  const key = relation === undefined ? undefined : known[relation.out as keyof typeof known];
  if (key !== undefined)
    return {
      verb: t(`${key}.verb`),
      out: (node) => t(`${key}.out`, { node }),
      in: (node) => t(`${key}.in`, { node }),
      link: t(`${key}.link`),
      unlink: t(`${key}.unlink`),
    };
  return {
    verb: relation?.out ?? "",
    out: (node) => `${node} ${relation?.out ?? ""}`,
    in: (node) => `${node} ${relation?.in ?? ""}`,
    link: t("link"),
    unlink: t("unlink"),
  };
}
