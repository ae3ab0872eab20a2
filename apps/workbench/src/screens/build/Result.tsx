import { useTranslations } from "use-intl";
import type { Item, Receipt } from "../../api/client";
import { Button } from "../../parts/Button";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { ValueView } from "../../parts/ValueView";
import css from "./build.module.css";

export interface Answer {
  items: Item[];
  /** A count, where the request asked for nothing else. */
  count: number | null;
  receipt: Receipt;
  more: boolean;
}

/** Rows drawn at most: the rest is counted, and is in Tables. */
const ROWS = 200;

/** What came back, as a table over all attributes, with what it cost. */
export function Result({ answer, onMore }: { answer: Answer; onMore: () => void }) {
  const t = useTranslations("build");
  const names = [...new Set(answer.items.slice(0, ROWS).flatMap((item) => Object.keys(item)))];
  return (
    <section aria-label={t("result")} className={css.result}>
      <ReceiptLine receipt={answer.receipt} />
      <p className={css.count}>
        {t("items", { n: answer.count ?? answer.items.length })}{" "}
        {answer.items.length > ROWS && t("firstRows", { n: ROWS })}
      </p>
      {names.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
        <section className={css.rows} tabIndex={0} aria-label={t("rows")}>
          <table>
            <thead>
              <tr>
                {names.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {answer.items.slice(0, ROWS).map((item, row) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows come in order and never move
                <tr key={row}>
                  {names.map((name) => (
                    <td key={name}>
                      {item[name] && <ValueView name={name} value={item[name]} chip={false} />}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {answer.more && <Button onPress={onMore}>{t("more")}</Button>}
    </section>
  );
}
