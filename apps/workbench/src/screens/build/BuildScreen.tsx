import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { CircleX, Copy, Info } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { Problem } from "../../api/client";
import { useHere } from "../../frame/here";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { Waiting } from "../../parts/Waiting";
import css from "./build.module.css";
import { buildQuery, examplesOf } from "./data";
import { Files } from "./Files";
import { KeptLists } from "./KeptLists";
import { useKept } from "./kept";
import { RequestText } from "./RequestText";
import { Result } from "./Result";
import type { BuildSearch } from "./search";
import { useSending } from "./useSending";

/** A text is asked about when nobody has typed for this long. */
const PAUSE_MS = 250;

const views = ["result", "code", "json"] as const;

/** Any request: written or pasted, understood, printed in every language, sent. */
export function BuildScreen({ connection, search }: { connection: string; search: BuildSearch }) {
  const t = useTranslations("build");
  const here = useHere();
  const router = useRouter();
  const [text, setText] = useState(search.q);
  const [view, setView] = useState<(typeof views)[number]>("code");
  const sending = useSending(connection);
  const built = useQuery(buildQuery(connection, search));

  // The address follows what is written, a moment later; and an address that came otherwise brings its own text.
  const written = useRef(search.q);
  useEffect(() => {
    if (search.q === written.current) return;
    written.current = search.q;
    setText(search.q);
  }, [search.q]);
  useEffect(() => {
    if (text === search.q) return;
    const timer = window.setTimeout(() => {
      written.current = text;
      const { href } = router.buildLocation({
        to: "/c/$connection/build",
        params: { connection },
        search: { ...search, q: text },
      });
      router.history.replace(href);
    }, PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text, search, router, connection]);

  const settled = text === search.q && text.trim() !== "";
  const fault = settled && built.error instanceof Problem ? built.error : null;
  const understood = settled && !built.error && !built.isPlaceholderData ? built.data : undefined;
  const write = (next: string) => {
    setText(next);
    sending.forget();
  };
  const allowed = understood && !(understood.writes && here.place?.read_only);
  const run = () => {
    if (!understood || !allowed) return;
    setView("result");
    useKept.getState().noteSent(understood);
    void sending.start(understood);
  };
  const setLanguage = (lang: string) => {
    const { href } = router.buildLocation({
      to: "/c/$connection/build",
      params: { connection },
      search: { ...search, lang },
    });
    router.history.replace(href);
  };

  return (
    <div className={css.screen}>
      <section className={css.write} aria-label={t("request")}>
        <h1>{t("title")}</h1>
        <p className={css.hint}>{t("hint")}</p>
        <p className={css.examples}>
          <span className={css.hint}>{t("examples")}</span>
          {examplesOf(here.model).map((example) => (
            <Button key={example.name} onPress={() => write(example.text)}>
              {t(`example.${example.name}`)}
            </Button>
          ))}
        </p>
        <RequestText
          text={text}
          span={(fault?.body.span as [number, number] | undefined) ?? null}
          onChange={write}
          onSend={run}
        />
        <Files built={understood} onOpen={write} />
        <KeptLists onOpen={write} />
        <div id="build-words" className={css.words} aria-live="polite">
          {fault && (
            <p className={css.fault}>
              <CircleX aria-hidden size="1em" /> {fault.body.message}
            </p>
          )}
          {understood && (
            <>
              <p className={css.sentence}>{understood.sentence}</p>
              <ul className={css.findings}>
                {understood.findings.map((finding) => (
                  <li key={finding.text} data-fatal={finding.fatal || undefined}>
                    {finding.fatal ? <CircleX aria-hidden size="1em" /> : <Info aria-hidden size="1em" />}{" "}
                    {finding.text}
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
        {allowed && (
          <p className={css.actions}>
            <Button tone="primary" onPress={run} isDisabled={sending.pending}>
              {t(understood.writes ? "sendWrite" : "send", { operation: understood.operation })}
            </Button>
          </p>
        )}
        {understood && !allowed && <p className={css.hint}>{t("readOnly")}</p>}
      </section>
      <section className={css.out} aria-label={t("views")}>
        <nav className={css.views} aria-label={t("views")}>
          {views.map((name) => (
            <Button key={name} tone="quiet" aria-pressed={view === name} onPress={() => setView(name)}>
              {t(name)}
            </Button>
          ))}
        </nav>
        {view === "result" && (
          <>
            {sending.pending && <Waiting onCancel={sending.cancel} />}
            {sending.error !== null && <ProblemPanel error={sending.error} onRetry={run} />}
            {sending.answer && <Result answer={sending.answer} onMore={() => void sending.more()} />}
            {!sending.pending && sending.error === null && !sending.answer && (
              <p className={css.hint}>{t("notSent")}</p>
            )}
          </>
        )}
        {view === "code" && (
          <>
            <label className={css.language}>
              <span>{t("language")}</span>
              <select value={search.lang} onChange={(event) => setLanguage(event.target.value)}>
                {(built.data?.languages ?? [{ name: search.lang, title: search.lang }]).map((language) => (
                  <option key={language.name} value={language.name}>
                    {language.title}
                  </option>
                ))}
              </select>
            </label>
            {understood?.refusal && (
              <p className={css.refusal}>{t("refusal", { reason: understood.refusal })}</p>
            )}
            {understood?.program && <Code text={understood.program} label={t("code")} />}
            {!understood && <p className={css.hint}>{t("nothing")}</p>}
          </>
        )}
        {view === "json" &&
          (understood ? (
            <Code text={JSON.stringify(understood.input, null, 2)} label={t("json")} />
          ) : (
            <p className={css.hint}>{t("nothing")}</p>
          ))}
      </section>
    </div>
  );
}

function Code({ text, label }: { text: string; label: string }) {
  const t = useTranslations("build");
  const [copied, setCopied] = useState("");
  return (
    <div className={css.code}>
      <Button
        tone="quiet"
        onPress={() => void navigator.clipboard.writeText(text).then(() => setCopied(text))}
      >
        <Copy aria-hidden size="1em" /> {t(copied === text ? "copied" : "copy")}
      </Button>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
    </div>
  );
}
