import { QueryClient } from "@tanstack/react-query";
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { Frame } from "./frame/Frame";
import { firstGuide, readBoth } from "./lib/places";
import { ProblemPanel } from "./parts/ProblemPanel";
import { BothScreen } from "./screens/both/BothScreen";
import { connectionsQuery, edgeQuery, listQuery, modelsQuery } from "./screens/both/data";
import { readBuild } from "./screens/build/search";
import { readChecks } from "./screens/checks/search";
import { readData } from "./screens/data/search";
import { readHeat } from "./screens/heat/search";
import { readLive } from "./screens/live/search";
import { emptySearch, readSearch } from "./screens/tables/search";

/** Screens beside the first one come when they are opened: the first load stays small. */
const TablesScreen = lazy(() =>
  import("./screens/tables/TablesScreen").then(({ TablesScreen }) => ({ default: TablesScreen })),
);
const BuildScreen = lazy(() =>
  import("./screens/build/BuildScreen").then(({ BuildScreen }) => ({ default: BuildScreen })),
);
const LiveScreen = lazy(() =>
  import("./screens/live/LiveScreen").then(({ LiveScreen }) => ({ default: LiveScreen })),
);
const HeatScreen = lazy(() =>
  import("./screens/heat/HeatScreen").then(({ HeatScreen }) => ({ default: HeatScreen })),
);
const DataScreen = lazy(() =>
  import("./screens/data/DataScreen").then(({ DataScreen }) => ({ default: DataScreen })),
);
const ChecksScreen = lazy(() =>
  import("./screens/checks/ChecksScreen").then(({ ChecksScreen }) => ({ default: ChecksScreen })),
);
const GuidesScreen = lazy(() =>
  import("./screens/guides/GuidesScreen").then(({ GuidesScreen }) => ({ default: GuidesScreen })),
);
const ModelScreen = lazy(() =>
  import("./screens/model/ModelScreen").then(({ ModelScreen }) => ({ default: ModelScreen })),
);

export const queryClient = new QueryClient({
  defaultOptions: {
    // The server is on this machine: whether there is an internet says nothing about it.
    queries: { retry: false, staleTime: 10_000, refetchOnWindowFocus: false, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});

const root = createRootRoute({ component: Frame });

/** `/` opens the first edge of the first model of the first connection. */
const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  loader: async () => {
    const [connection] = await queryClient.ensureQueryData(connectionsQuery);
    if (connection === undefined) return;
    const models = await queryClient.ensureQueryData(modelsQuery(connection.name));
    const model = models.find((m) => m.firsts.length > 0) ?? models[0];
    const first = model?.firsts[0];
    const relation = first?.relation ?? model?.relations[0]?.name;
    if (model === undefined || relation === undefined) return;
    throw redirect({
      to: "/c/$connection/both/$model/$relation",
      params: { connection: connection.name, model: model.name, relation },
      search: readBoth({ s: first?.source, t: first?.target }),
      replace: true,
    });
  },
});

const both = createRoute({
  getParentRoute: () => root,
  path: "/c/$connection/both/$model/$relation",
  validateSearch: readBoth,
  loaderDeps: ({ search: { s, t, view } }) => ({ s, t, view }),
  // The words of the screen come with the models. Its three reads start beside them and are waited for by their parts.
  loader: async ({ params, deps: { s, t, view } }) => {
    if (view === "edge") {
      if (s !== "") void queryClient.prefetchInfiniteQuery(listQuery(params, "out", s));
      if (t !== "") void queryClient.prefetchInfiniteQuery(listQuery(params, "in", t));
      if (s !== "" && t !== "") void queryClient.prefetchQuery(edgeQuery(params, s, t));
    }
    await Promise.all([
      queryClient.ensureQueryData(connectionsQuery),
      queryClient.ensureQueryData(modelsQuery(params.connection)),
    ]);
  },
  component: function Both() {
    return <BothScreen place={both.useParams()} search={both.useSearch()} />;
  },
});

const table = createRoute({
  getParentRoute: () => root,
  path: "/c/$connection/tables/$table",
  validateSearch: readSearch,
  component: function Table() {
    const { connection, table: name } = table.useParams();
    const search = table.useSearch();
    return (
      <Suspense>
        <TablesScreen connection={connection} name={name} search={search} />
      </Suspense>
    );
  },
});

const tables = createRoute({
  getParentRoute: () => root,
  path: "/c/$connection/tables",
  validateSearch: (search: Record<string, unknown>): { new?: string } =>
    search.new === "1" ? { new: "1" } : {},
  component: function Tables() {
    const { connection } = tables.useParams();
    const creating = tables.useSearch().new !== undefined;
    return (
      <Suspense>
        <TablesScreen connection={connection} name="" search={emptySearch} creating={creating} />
      </Suspense>
    );
  },
});

const build = createRoute({
  getParentRoute: () => root,
  path: "/c/$connection/build",
  validateSearch: readBuild,
  component: function Build() {
    const { connection } = build.useParams();
    return (
      <Suspense>
        <BuildScreen connection={connection} search={build.useSearch()} />
      </Suspense>
    );
  },
});

const live = createRoute({
  getParentRoute: () => root,
  path: "/c/$connection/live",
  validateSearch: readLive,
  component: function Live() {
    const { connection } = live.useParams();
    return (
      <Suspense>
        <LiveScreen key={connection} connection={connection} search={live.useSearch()} />
      </Suspense>
    );
  },
});

const heat = createRoute({
  getParentRoute: () => root,
  path: "/c/$connection/heat",
  validateSearch: readHeat,
  component: function Heat() {
    const { connection } = heat.useParams();
    const search = heat.useSearch();
    return (
      <Suspense>
        <HeatScreen key={`${connection} ${search.table}`} connection={connection} search={search} />
      </Suspense>
    );
  },
});

const data = createRoute({
  getParentRoute: () => root,
  path: "/c/$connection/data",
  validateSearch: readData,
  component: function Data() {
    const { connection } = data.useParams();
    return (
      <Suspense>
        <DataScreen key={connection} connection={connection} search={data.useSearch()} />
      </Suspense>
    );
  },
});

const newModel = createRoute({
  getParentRoute: () => root,
  path: "/c/$connection/model",
  validateSearch: (search: Record<string, unknown>): { from?: string } =>
    typeof search.from === "string" && search.from !== "" ? { from: search.from } : {},
  component: function New() {
    const { connection } = newModel.useParams();
    const { from = "" } = newModel.useSearch();
    return (
      <Suspense>
        <ModelScreen connection={connection} name="" from={from} />
      </Suspense>
    );
  },
});

const checks = createRoute({
  getParentRoute: () => root,
  path: "/c/$connection/checks/$model",
  validateSearch: readChecks,
  component: function Checks() {
    const { connection, model: name } = checks.useParams();
    const { tab = "patterns", s = "", t = "" } = checks.useSearch();
    return (
      <Suspense>
        <ChecksScreen
          key={name}
          connection={connection}
          name={name}
          tab={tab}
          ends={{ source: s, target: t }}
        />
      </Suspense>
    );
  },
});

const model = createRoute({
  getParentRoute: () => root,
  path: "/c/$connection/model/$model",
  component: function Model() {
    const { connection, model: name } = model.useParams();
    return (
      <Suspense>
        <ModelScreen connection={connection} name={name} />
      </Suspense>
    );
  },
});

const guide = createRoute({
  getParentRoute: () => root,
  path: "/c/$connection/guides/$guide",
  component: function Guide() {
    const { connection, guide: name } = guide.useParams();
    return (
      <Suspense>
        <GuidesScreen key={name} connection={connection} guide={name} />
      </Suspense>
    );
  },
});

/** `/guides` opens the first guide beside the first connection. */
const guides = createRoute({
  getParentRoute: () => root,
  path: "/guides",
  loader: async () => {
    const [connection] = await queryClient.ensureQueryData(connectionsQuery);
    if (connection === undefined) return;
    throw redirect({
      to: "/c/$connection/guides/$guide",
      params: { connection: connection.name, guide: firstGuide },
      replace: true,
    });
  },
});

const design = createRoute({
  getParentRoute: () => root,
  path: "/design",
  component: lazyRouteComponent(() => import("./screens/design/DesignScreen"), "DesignScreen"),
});

/** A screen whose first answer was a refusal. */
function Broken({ error }: { error: unknown }) {
  return (
    <div>
      <h1 className="visually-hidden">Bothways</h1>
      <ProblemPanel error={error} onRetry={() => void router.invalidate()} />
    </div>
  );
}

/** Search values stay text: an id that looks like a number keeps its zeros. */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    both,
    tables,
    table,
    build,
    live,
    heat,
    data,
    newModel,
    model,
    checks,
    guide,
    guides,
    design,
  ]),
  defaultErrorComponent: Broken,
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const given = Object.entries(search as Record<string, string | boolean>).flatMap(([name, value]) => {
      const word = typeof value === "boolean" ? (value ? "1" : "") : value;
      // The edge is what Both ways shows where nothing else is said.
      return word === undefined || word === "" || (name === "view" && word === "edge") ? [] : [[name, word]];
    });
    const text = new URLSearchParams(given).toString();
    return text === "" ? "" : `?${text}`;
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
