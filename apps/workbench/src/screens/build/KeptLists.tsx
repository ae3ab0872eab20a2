import { Bookmark, Download, Eraser, Trash2 } from "lucide-react";
import { useEffect } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { Button } from "../../parts/Button";
import css from "./build.module.css";
import type { Built } from "./data";
import { fileHref, fits, followOtherPages, type KeptRequest, readable, useKept } from "./kept";

/** Keeps the request that is written. */
export function KeepButton({ built }: { built: Built }) {
  const t = useTranslations("build");
  const keep = useKept((kept) => kept.keep);
  return (
    <Button tone="quiet" isDisabled={!fits(built)} onPress={() => keep(built)}>
      <Bookmark aria-hidden size="1em" /> {t("keep")}
    </Button>
  );
}

/** Requests that were kept, and those that were sent: each is opened again, or saved to a file. */
export function KeptLists({ onOpen }: { onOpen: (text: string) => void }) {
  const t = useTranslations("build");
  const { kept, sent, forget, forgetSent } = useKept();
  useEffect(followOtherPages, []);
  return (
    <details className={css.lists}>
      <summary>{t("lists", { kept: kept.length, sent: sent.length })}</summary>
      {kept.length > 0 && (
        <section aria-labelledby="kept-requests">
          <h2 id="kept-requests">{t("kept")}</h2>
          <ol className={css.list}>
            {kept.map((each) => (
              <Line key={each.id} request={each} onOpen={onOpen}>
                <Button
                  tone="quiet"
                  aria-label={t("forget", { sentence: each.sentence })}
                  onPress={() => forget(each.id)}
                >
                  <Trash2 aria-hidden size="1em" />
                </Button>
              </Line>
            ))}
          </ol>
        </section>
      )}
      {sent.length > 0 && (
        <section aria-labelledby="sent-requests">
          <h2 id="sent-requests">{t("sentBefore")}</h2>
          <Button tone="quiet" onPress={forgetSent}>
            <Eraser aria-hidden size="1em" /> {t("clearSent")}
          </Button>
          <ol className={css.list}>
            {sent.map((each) => (
              <Line key={each.id} request={each} onOpen={onOpen} />
            ))}
          </ol>
        </section>
      )}
      {kept.length + sent.length === 0 && <p className={css.hint}>{t("noLists")}</p>}
    </details>
  );
}

interface LineProps {
  request: KeptRequest;
  onOpen: (text: string) => void;
  children?: React.ReactNode;
}

function Line({ request, onOpen, children }: LineProps) {
  const t = useTranslations("build");
  const format = useFormatter();
  return (
    <li>
      <Button tone="quiet" onPress={() => onOpen(readable(request))}>
        <span className={css.name}>{request.sentence}</span>
      </Button>
      <time dateTime={new Date(request.at).toISOString()}>
        {format.dateTime(request.at, {
          month: "2-digit",
          day: "2-digit",
          hour: "2-digit",
          minute: "2-digit",
          hourCycle: "h23",
        })}
      </time>
      <a
        className={css.file}
        download={`${request.operation}.json`}
        href={fileHref(request)}
        title={t("save")}
        aria-label={t("saveNamed", { sentence: request.sentence })}
      >
        <Download aria-hidden size="1em" />
      </a>
      {children}
    </li>
  );
}
