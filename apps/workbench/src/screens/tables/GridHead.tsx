// biome-ignore-all lint/a11y/useSemanticElements: the grid's rows come and go, so its head is no table's either
// biome-ignore-all lint/a11y/useFocusableInteractive: its buttons have the focus
import { ArrowDown, ArrowUp } from "lucide-react";
import { useTranslations } from "use-intl";
import { Button } from "../../parts/Button";
import type { Column, Sort } from "./columns";
import css from "./grid.module.css";

interface Props {
  columns: Column[];
  layout: string;
  sort: Sort | null;
  /** The sort key by which the request itself orders, and how: pressing it turns the request round. */
  ordered: Sort | null;
  chosen: "none" | "some" | "all";
  onSort: (sort: Sort | null) => void;
  onReverse: () => void;
  onAll: () => void;
}

export function GridHead({ columns, layout, sort, ordered, chosen, onSort, onReverse, onAll }: Props) {
  const t = useTranslations("tables");
  const press = (name: string) => {
    if (ordered?.name === name && sort === null) onReverse();
    else if (sort?.name !== name) onSort({ name, up: true });
    else onSort(sort.up ? { name, up: false } : null);
  };
  return (
    <div className={css.head} role="row" aria-rowindex={1} style={{ gridTemplateColumns: layout }}>
      <div role="columnheader" className={css.tick}>
        <input
          type="checkbox"
          aria-label={t("chooseAll")}
          checked={chosen === "all"}
          ref={(box) => {
            if (box) box.indeterminate = chosen === "some";
          }}
          onChange={onAll}
        />
      </div>
      {columns.map(({ name, leading }) => {
        const up =
          sort?.name === name ? sort.up : sort === null && ordered?.name === name ? ordered.up : null;
        return (
          <div
            role="columnheader"
            key={name}
            aria-sort={up === null ? "none" : up ? "ascending" : "descending"}
          >
            <Button tone="quiet" onPress={() => press(name)}>
              <span className={css.columnName} data-key={leading || undefined}>
                {name}
              </span>
              {up !== null &&
                (up ? <ArrowUp aria-hidden size="1em" /> : <ArrowDown aria-hidden size="1em" />)}
            </Button>
          </div>
        );
      })}
    </div>
  );
}
