import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import { ArrowLeftRight, Database, Lock, Moon, Sun } from "lucide-react";
import { useTranslations } from "use-intl";
import { useLedger } from "../lib/ledger";
import { type Locale, locales, useSettings } from "../lib/settings";
import { fromHalves } from "../lib/units";
import { Button } from "../parts/Button";
import { connectionsQuery, modelsQuery } from "../screens/both/data";
import css from "./frame.module.css";

const languageNames: Record<Locale, string> = {
  en: "English",
  es: "Español",
  ja: "日本語",
  "zh-Hant": "繁體中文",
};

/** Rail, top bar, content and the status bar that sums up the session. */
export function Frame() {
  const t = useTranslations("nav");
  const { connection = "local" } = useParams({ strict: false });
  const models = useQuery(modelsQuery(connection));
  return (
    <div className={css.frame}>
      <nav className={css.rail} aria-label={t("main")}>
        <Link to="/" className={css.home ?? ""} aria-label="Bothways">
          <ArrowLeftRight aria-hidden />
        </Link>
        <Link
          to="/c/$connection/tables"
          params={{ connection }}
          className={css.place ?? ""}
          activeOptions={{ exact: false }}
        >
          <span className={css.initial}>{t("tables")}</span>
        </Link>
        {models.data?.map((model) => (
          <section key={model.name} aria-label={model.name} className={css.group}>
            <Link
              to="/c/$connection/model/$model"
              params={{ connection, model: model.name }}
              className={css.place ?? ""}
            >
              <span className={css.initial}>{model.name}</span>
            </Link>
            {model.relations.map((relation) => (
              <Link
                key={relation.name}
                to="/c/$connection/both/$model/$relation"
                params={{ connection, model: model.name, relation: relation.name }}
                search={
                  model.first?.relation === relation.name
                    ? { s: model.first.source, t: model.first.target }
                    : { s: "", t: "" }
                }
                className={css.place ?? ""}
                activeOptions={{ includeSearch: false }}
              >
                <span className={css.relation}>{relation.name}</span>
              </Link>
            ))}
          </section>
        ))}
      </nav>
      <TopBar connection={connection} />
      <main className={css.content}>
        <Outlet />
      </main>
      <StatusBar />
    </div>
  );
}

function TopBar({ connection }: { connection: string }) {
  const t = useTranslations("nav");
  const connections = useQuery(connectionsQuery);
  const here = connections.data?.find((c) => c.name === connection);
  return (
    <header className={css.topBar}>
      <Database aria-hidden size="1em" />
      <strong>{connection}</strong>
      <code className={css.detail}>{here?.detail}</code>
      {here?.read_only && (
        <span className={css.lock}>
          <Lock aria-hidden size="1em" /> {t("readOnly")}
        </span>
      )}
    </header>
  );
}

function StatusBar() {
  const t = useTranslations("status");
  const nav = useTranslations("nav");
  const ledger = useLedger();
  const { locale, theme, set } = useSettings();
  return (
    <footer className={css.statusBar}>
      <span>{t("requests", { n: ledger.requests })}</span>
      <span>{fromHalves(ledger.readHalves)} RCU</span>
      <span>{fromHalves(ledger.writeHalves)} WCU</span>
      <span data-bad={ledger.scans > 0 || undefined}>{t("scans", { n: ledger.scans })}</span>
      <span className={css.spring} />
      <label>
        <span className="visually-hidden">{nav("language")}</span>
        <select value={locale} onChange={(event) => set({ locale: event.target.value as Locale })}>
          {locales.map((l) => (
            <option key={l} value={l} lang={l}>
              {languageNames[l]}
            </option>
          ))}
        </select>
      </label>
      <Button
        tone="quiet"
        aria-label={theme === "dark" ? nav("light") : nav("dark")}
        onPress={() => set({ theme: theme === "dark" ? "light" : "dark" })}
      >
        {theme === "dark" ? <Sun aria-hidden size="1em" /> : <Moon aria-hidden size="1em" />}
      </Button>
    </footer>
  );
}
