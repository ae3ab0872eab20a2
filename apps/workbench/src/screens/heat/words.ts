import { useTranslations } from "use-intl";
import type { HeatKey } from "./rates";

/** What a key stands for, in words; nothing where no model knows it. */
export function useKeyWords(): (key: HeatKey) => string {
  const t = useTranslations("heat");
  return ({ name }) => {
    if (name === null) return "";
    const { kind, entity, id, shard } = name;
    const words = kind === "node" ? t("kind.node", { entity, id }) : t(`kind.${kind}`, { id });
    return shard === null ? words : `${words} · ${t("shard", { n: shard })}`;
  };
}
