import { useParams, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslations } from "use-intl";
import { useWords } from "../screens/both/words";
import { useHere } from "./here";
import { screens } from "./screens";

/** Names the browser's tab after what is chosen, then the screen: several tabs of one server are told apart. */
export function useTitle(): void {
  const app = useTranslations("app");
  const words = useScreenWords();
  const title = [...words, app("name")].filter((word) => word !== "").join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** What is chosen, the nearest first, and the screen. */
function useScreenWords(): string[] {
  const nav = useTranslations("nav");
  const both = useTranslations("both");
  const checks = useTranslations("checks");
  const data = useTranslations("data");
  const live = useTranslations("live");
  const design = useTranslations("design");
  const here = useHere();
  const { table = "", model = "", relation = "" } = useParams({ strict: false });
  const search: Record<string, unknown> = useSearch({ strict: false });
  const at = (name: string) => (typeof search[name] === "string" ? search[name] : "");
  const { verb } = useWords(here.model?.relations.find((r) => r.name === relation));
  if (here.path === "/design") return [design("title")];
  const screen = screens.find((s) => s.holds(here.rest));
  if (screen === undefined) return [];
  switch (screen.id) {
    case "both":
      if (at("view") !== "node" && at("view") !== "map")
        return [`${at("s") || "…"} → ${at("t") || "…"}`, verb || relation];
      return [at("n"), at("view") === "map" ? both("lens.map") : both("lens.node")];
    case "tables":
      return [at("pk"), at("index"), table, nav("tables")];
    case "checks": {
      const tab = at("tab") === "counters" || at("tab") === "pitfalls" ? at("tab") : "patterns";
      return [model, checks(tab as "patterns"), nav("checks")];
    }
    case "model":
      return model === "" ? [nav("newModel")] : [model, nav("model")];
    case "live":
      if (here.rest.startsWith("heat")) return [at("table"), live("heat")];
      return [at("open") && live("detail", { n: at("open") }), nav("live")];
    case "data": {
      const pane = at("pane") === "export" || at("pane") === "snapshots" ? at("pane") : "import";
      return [at("table"), data(pane as "import"), nav("data")];
    }
    default:
      return [nav(screen.id)];
  }
}
