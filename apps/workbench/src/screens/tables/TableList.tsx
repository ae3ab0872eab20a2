import { Link } from "@tanstack/react-router";
import type { TableInfo } from "./schema";
import { emptySearch } from "./search";
import css from "./tables.module.css";

interface Props {
  connection: string;
  names: string[];
  open: string;
  table: TableInfo | undefined;
  index: string;
}

/** The tables, and below the open one its indexes. */
export function TableList({ connection, names, open, table, index }: Props) {
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <Link
            to="/c/$connection/tables/$table"
            params={{ connection, table: name }}
            search={emptySearch}
            activeOptions={{ includeSearch: false }}
            className={css.tableLink ?? ""}
            title={name}
          >
            {name}
          </Link>
          {name === open &&
            table?.indexes.map((each) => (
              <Link
                key={each.name}
                to="/c/$connection/tables/$table"
                params={{ connection, table: name }}
                search={{ ...emptySearch, index: each.name }}
                className={css.indexLink ?? ""}
                data-chosen={index === each.name || undefined}
                title={each.name}
              >
                {each.name}
              </Link>
            ))}
        </li>
      ))}
    </ul>
  );
}
