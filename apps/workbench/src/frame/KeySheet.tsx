import { useTranslations } from "use-intl";
import { allCommands, groups, keysInWords } from "../lib/commands";
import { useSettings } from "../lib/settings";
import { Sheet } from "../parts/Sheet";
import css from "./overlay.module.css";

/** Every key that does something here. */
export function KeySheet({ onClose }: { onClose: () => void }) {
  const t = useTranslations("palette");
  const { singleKeys, set } = useSettings();
  const listed = allCommands().filter((c) => c.keys !== undefined);
  const moves = [
    ["← →", t("halves")],
    ["↑ ↓", t("rows")],
    ["Enter", t("openNode")],
  ] as const;
  return (
    <Sheet title={t("keysTitle")} side="middle" onClose={onClose}>
      <div className={css.keys}>
        {groups.map((group) => {
          const own = listed.filter((c) => c.group === group);
          if (own.length === 0) return null;
          return (
            <section key={group}>
              <h3>{t(group)}</h3>
              <dl>
                {own.map((c) => (
                  <div key={c.id}>
                    <dt>{c.label}</dt>
                    <dd>
                      {keysInWords(c.keys ?? "").map((key) => (
                        <kbd key={key}>{key}</kbd>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
        <section>
          <h3>{t("lists")}</h3>
          <dl>
            {moves.map(([key, label]) => (
              <div key={key}>
                <dt>{label}</dt>
                <dd>
                  <kbd>{key}</kbd>
                </dd>
              </div>
            ))}
          </dl>
        </section>
        <label className={css.switch}>
          <input
            type="checkbox"
            checked={singleKeys}
            onChange={(event) => set({ singleKeys: event.target.checked })}
          />
          {t("singleKeys")}
        </label>
      </div>
    </Sheet>
  );
}
