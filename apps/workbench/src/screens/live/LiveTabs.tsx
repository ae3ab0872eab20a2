import { useTranslations } from "use-intl";
import { GoLink } from "../../frame/GoLink";
import { heatHref, liveHref } from "../../lib/places";
import css from "./live.module.css";

export const liveTabs = ["requests", "heat"] as const;
export type LiveTab = (typeof liveTabs)[number];

/** The views of what happens now. */
export function LiveTabs({ connection, tab }: { connection: string; tab: LiveTab }) {
  const t = useTranslations("live");
  const href = { requests: liveHref(connection), heat: heatHref(connection) };
  return (
    <nav className={css.tabs} aria-label={t("tabs")}>
      {liveTabs.map((each) => (
        <GoLink key={each} href={href[each]} aria-current={each === tab ? "page" : undefined}>
          {t(each)}
        </GoLink>
      ))}
    </nav>
  );
}
