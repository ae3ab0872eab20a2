import { ChevronRight, Keyboard, Lock, Menu, Search } from "lucide-react";
import { useTranslations } from "use-intl";
import { isMac } from "../lib/commands";
import { useWalk } from "../lib/walk";
import { Button } from "../parts/Button";
import css from "./frame.module.css";
import { GoLink } from "./GoLink";
import { useHere } from "./here";
import type { OverlayName } from "./overlays";

/** Steps of the walk that the top bar shows. */
const STEPS = 3;

/** The connection, the way that was walked, and the door to everything else. */
export function TopBar({ onOpen }: { onOpen: (overlay: OverlayName) => void }) {
  const t = useTranslations("nav");
  const here = useHere();
  const steps = useWalk((w) => w.steps);
  return (
    <header className={css.topBar}>
      <span className={css.narrowOnly}>
        <Button tone="quiet" aria-label={t("main")} onPress={() => onOpen("rail")}>
          <Menu aria-hidden size="1.25em" />
        </Button>
      </span>
      {here.place && (
        <span className={css.connection} data-kind={here.place.kind}>
          <span className={css.dot} aria-hidden />
          {here.connections.length > 1 ? (
            <select
              aria-label={t("connection")}
              value={here.connection}
              onChange={(event) => location.assign(`/c/${encodeURIComponent(event.target.value)}/tables`)}
            >
              {here.connections.map((c) => (
                <option key={c.name}>{c.name}</option>
              ))}
            </select>
          ) : (
            <strong>{here.connection}</strong>
          )}
          <code title={here.place.detail}>{here.place.detail}</code>
          {here.place.read_only && (
            <span className={css.lock}>
              <Lock aria-hidden size="1em" /> {t("readOnly")}
            </span>
          )}
        </span>
      )}
      {steps.length > 1 && (
        <nav className={css.walk} aria-label={t("walk")}>
          <ol>
            {steps.slice(-STEPS).map((step, i, shown) => (
              <li key={step.href}>
                {i > 0 && <ChevronRight aria-hidden size="1em" />}
                {i === shown.length - 1 ? (
                  <span aria-current="page" title={step.label}>
                    {step.label}
                  </span>
                ) : (
                  <GoLink href={step.href} title={step.label}>
                    {step.label}
                  </GoLink>
                )}
              </li>
            ))}
          </ol>
        </nav>
      )}
      <span className={css.spring} />
      <Button onPress={() => onOpen("palette")}>
        <Search aria-hidden size="1em" />
        <span className={css.name}>{t("palette")}</span>
        <kbd className={css.wideOnly}>{isMac ? "⌘K" : "Ctrl K"}</kbd>
      </Button>
      <Button tone="quiet" aria-label={t("keys")} onPress={() => onOpen("keys")}>
        <Keyboard aria-hidden size="1.25em" />
      </Button>
    </header>
  );
}
