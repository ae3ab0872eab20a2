import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { languageNames } from "../../frame/StatusBar";
import { locales, useSettings } from "../../lib/settings";
import { Button } from "../../parts/Button";
import css from "./design.module.css";
import { Lists } from "./Lists";
import { Parts } from "./Parts";
import { specimenClient } from "./specimens";
import { TableParts } from "./TableParts";
import { fillTables } from "./tableSpecimens";

const inks = ["text", "quiet", "accent", "out", "in", "ok", "warn", "bad"];
const grounds = ["ground", "panel", "tint-accent", "tint-out", "tint-in", "tint-ok", "tint-warn", "tint-bad"];
const lines = ["line", "border", "accent-strong", "on-accent"];
const sizes = ["caption", "grid", "body", "section", "title", "counter"];
const spaces = [1, 2, 3, 4, 5, 6, 7];

/** Tokens, and every component in every state, in the look and language that are chosen on top. */
export function DesignScreen() {
  const t = useTranslations("design");
  const { theme, density, locale, set } = useSettings();
  const [client] = useState(() => {
    const filled = specimenClient();
    fillTables(filled);
    return filled;
  });
  const top = useRef<HTMLDivElement>(null);
  // Editors take the focus where they open. Here several stand side by side, and none of them was opened.
  useEffect(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    top.current?.scrollIntoView();
  }, []);
  const choice = (label: string, chosen: boolean, onPress: () => void) => (
    <Button key={label} tone={chosen ? "primary" : "plain"} aria-pressed={chosen} onPress={onPress}>
      {label}
    </Button>
  );
  return (
    <div className={css.design} ref={top}>
      <div className={css.row}>
        <h1>{t("title")}</h1>
        {(["light", "dark"] as const).map((v) => choice(t(v), theme === v, () => set({ theme: v })))}
        {(["compact", "roomy"] as const).map((v) => choice(t(v), density === v, () => set({ density: v })))}
        {locales.map((v) => choice(languageNames[v], locale === v, () => set({ locale: v })))}
      </div>
      <Part name={t("colour")}>
        <ul className={css.row}>
          {[...inks, ...lines].map((c) => (
            <li key={c}>
              <span className={css.swatch} style={{ background: `var(--${c})` }} />
              <code>{c}</code>
            </li>
          ))}
        </ul>
        <ul className={css.grounds}>
          {grounds.map((g) => (
            <li key={g} style={{ background: `var(--${g})` }}>
              <code>{g}</code>
              {g.startsWith("tint-") ? (
                <span style={{ color: `var(--${g.slice(5)})` }}>{g.slice(5)}</span>
              ) : (
                inks.map((ink) => (
                  <span key={ink} style={{ color: `var(--${ink})` }}>
                    {ink}
                  </span>
                ))
              )}
            </li>
          ))}
        </ul>
      </Part>
      <Part name={t("type")}>
        {sizes.map((s) => (
          <p key={s} style={{ fontSize: `var(--text-${s})` }}>
            {s} 0123456789 aA 日本語 繁體
          </p>
        ))}
      </Part>
      <Part name={t("space")}>
        {spaces.map((s) => (
          <span key={s} className={css.space} style={{ width: `var(--space-${s})` }} title={String(s)} />
        ))}
      </Part>
      <Parts />
      <Lists client={client} />
      <TableParts client={client} />
    </div>
  );
}

export function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section className={css.part} aria-label={name}>
      <h2>{name}</h2>
      {children}
    </section>
  );
}

/** Every state that a component can be in. */
export const states = [
  "rest",
  "hover",
  "focus",
  "chosen",
  "disabled",
  "empty",
  "loading",
  "error",
  "long",
  "digits",
] as const;
export type State = (typeof states)[number];

/** A component in each state; null where it has no such state, which is said. */
export type Specimens = Record<State, ReactNode | null>;

/** `wide` gives each state two columns' room: what is a part of a screen and not of a line. */
export function Matrix({ name, specimens, wide }: { name: string; specimens: Specimens; wide?: boolean }) {
  return (
    <Part name={name}>
      <div className={css.states} data-wide={wide}>
        {states.map((state) => (
          <Shown key={state} state={state}>
            {specimens[state]}
          </Shown>
        ))}
      </div>
    </Part>
  );
}

/** What can be pointed at. */
const HOVERABLE = "button:not(:disabled), [role=option], a";

/** A component in one state, named. Hover, focus and chosen are shown without a pointer, by `data-show`. */
export function Shown({ state, children }: { state: State; children: ReactNode }) {
  const t = useTranslations("design");
  const box = useRef<HTMLDivElement>(null);
  // The components mark what is under the pointer themselves; here nothing is, so the mark is set for them.
  useEffect(() => {
    if (state === "hover") box.current?.querySelector(HOVERABLE)?.setAttribute("data-hovered", "true");
  }, [state]);
  return (
    <div className={css.shown} data-state={state} data-absent={children === null || undefined}>
      <p>{t(state)}</p>
      <div data-show={state} ref={box}>
        {children ?? <span className={css.absent}>{t("noState")}</span>}
      </div>
    </div>
  );
}
