import {
  Activity,
  ArrowLeftRight,
  BookOpen,
  Boxes,
  DatabaseBackup,
  Hammer,
  ListChecks,
  type LucideIcon,
  Table2,
} from "lucide-react";
import type { Connection, Model } from "../api/client";
import {
  buildHref,
  checksHref,
  dataHref,
  guideHref,
  liveHref,
  modelHref,
  newModelHref,
  relationHref,
  tablesHref,
} from "../lib/places";

/** A screen of the rail, of the palette and of the keys `g …`. */
export interface Screen {
  id: "both" | "tables" | "build" | "live" | "data" | "model" | "checks" | "guides";
  icon: LucideIcon;
  keys: string;
  /** Its address; null where there is nothing for it to show. */
  href: (connection: string, model: Model | undefined, place: Connection | undefined) => string | null;
  /** Whether an address below `/c/<connection>` belongs to it. */
  holds: (rest: string) => boolean;
}

const starts = (with_: string) => (rest: string) => rest === with_ || rest.startsWith(`${with_}/`);

/** The screens in the order of the rail. A screen that the server cannot serve is not listed. */
export const screens: Screen[] = [
  {
    id: "both",
    icon: ArrowLeftRight,
    keys: "g b",
    href: (connection, model) => {
      const relation =
        model?.relations.find((r) => r.name === model.firsts[0]?.relation) ?? model?.relations[0];
      return model && relation ? relationHref(connection, model, relation) : null;
    },
    holds: starts("both"),
  },
  {
    id: "tables",
    icon: Table2,
    keys: "g t",
    href: (connection) => tablesHref(connection),
    holds: starts("tables"),
  },
  {
    id: "build",
    icon: Hammer,
    keys: "g q",
    href: (connection) => buildHref(connection),
    holds: starts("build"),
  },
  {
    id: "live",
    icon: Activity,
    keys: "g l",
    href: (connection, _, place) => (place?.offers.includes("live") ? liveHref(connection) : null),
    holds: (rest) => starts("live")(rest) || starts("heat")(rest),
  },
  {
    id: "data",
    icon: DatabaseBackup,
    keys: "g d",
    href: (connection, _, place) => (place?.offers.includes("data") ? dataHref(connection) : null),
    holds: starts("data"),
  },
  {
    id: "model",
    icon: Boxes,
    keys: "g m",
    href: (connection, model) => (model ? modelHref(connection, model.name) : newModelHref(connection)),
    holds: starts("model"),
  },
  {
    id: "checks",
    icon: ListChecks,
    keys: "g c",
    href: (connection, model) => (model ? checksHref(connection, model.name) : null),
    holds: starts("checks"),
  },
  {
    id: "guides",
    icon: BookOpen,
    keys: "g u",
    href: (connection) => guideHref(connection),
    holds: starts("guides"),
  },
];
