import { ArrowLeftRight, PanelLeftClose, PanelLeftOpen, Plus } from "lucide-react";
import { useTranslations } from "use-intl";
import { modelHref, newModelHref, relationHref } from "../lib/places";
import { useSettings } from "../lib/settings";
import { Button } from "../parts/Button";
import css from "./frame.module.css";
import { GoLink } from "./GoLink";
import { useHere } from "./here";
import { screens } from "./screens";

/** The screens, and below them every model with its relations. */
export function Rail({ pinned, onGo }: { pinned: boolean; onGo?: () => void }) {
  const t = useTranslations("nav");
  const here = useHere();
  const { set } = useSettings();
  return (
    <nav className={css.rail} aria-label={t("main")} data-pinned={pinned || undefined}>
      <GoLink href="/" className={css.brand} aria-label="Bothways" {...(onGo && { onClick: onGo })}>
        <ArrowLeftRight aria-hidden size="1.25em" />
        {pinned && <span>Bothways</span>}
      </GoLink>
      <ul className={css.screens}>
        {(here.settled ? screens : []).map((screen) => {
          const href = screen.href(here.connection, here.model, here.place);
          if (href === null) return null;
          return (
            <li key={screen.id}>
              <GoLink
                href={href}
                className={css.screen}
                title={t(screen.id)}
                aria-label={t(screen.id)}
                aria-current={screen.holds(here.rest) ? "page" : undefined}
                {...(onGo && { onClick: onGo })}
              >
                <screen.icon aria-hidden size="1.25em" />
                {pinned && <span>{t(screen.id)}</span>}
              </GoLink>
            </li>
          );
        })}
      </ul>
      <div className={css.models} key={String(here.settled)}>
        {pinned && here.settled && (
          <h2>
            {t("models")}
            <GoLink
              href={newModelHref(here.connection)}
              className={css.newModel}
              title={t("newModel")}
              aria-label={t("newModel")}
              {...(onGo && { onClick: onGo })}
            >
              <Plus aria-hidden size="1em" />
            </GoLink>
          </h2>
        )}
        {here.models.map((model) => (
          <section key={model.name} aria-label={model.name}>
            <GoLink
              href={modelHref(here.connection, model.name)}
              className={css.model}
              title={model.name}
              aria-current={here.rest === `model/${encodeURIComponent(model.name)}` ? "page" : undefined}
              {...(onGo && { onClick: onGo })}
            >
              {pinned ? model.name : model.name.slice(0, 2)}
            </GoLink>
            {pinned &&
              model.relations.map((relation) => {
                const below = `both/${encodeURIComponent(model.name)}/${encodeURIComponent(relation.name)}`;
                return (
                  <GoLink
                    key={relation.name}
                    href={relationHref(here.connection, model, relation)}
                    className={css.relation}
                    aria-current={here.rest === below ? "page" : undefined}
                    {...(onGo && { onClick: onGo })}
                  >
                    {relation.name}
                  </GoLink>
                );
              })}
          </section>
        ))}
      </div>
      {!onGo && (
        <Button
          tone="quiet"
          aria-label={pinned ? t("collapse") : t("expand")}
          onPress={() => set({ pinned: !pinned })}
        >
          {pinned ? (
            <PanelLeftClose aria-hidden size="1.25em" />
          ) : (
            <PanelLeftOpen aria-hidden size="1.25em" />
          )}
          {pinned && <span>{t("collapse")}</span>}
        </Button>
      )}
    </nav>
  );
}
