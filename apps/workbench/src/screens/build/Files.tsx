import { Download, FolderOpen } from "lucide-react";
import { useTranslations } from "use-intl";
import css from "./build.module.css";
import type { Built } from "./data";
import { KeepButton } from "./KeptLists";
import { fileHref } from "./kept";

/** Requests from files and to files. A file that is opened is a text like any other: what is wrong in it is pointed at. */
export function Files({ built, onOpen }: { built: Built | undefined; onOpen: (text: string) => void }) {
  const t = useTranslations("build");
  const open = async (file: File | undefined) => {
    if (file) onOpen(await file.text());
  };
  return (
    <div className={css.files}>
      <label>
        <FolderOpen aria-hidden size="1em" /> {t("open")}
        <input
          type="file"
          accept=".json,application/json"
          className="visually-hidden"
          onChange={(event) => {
            void open(event.target.files?.[0]);
            // The same file can be opened again after it was changed.
            event.target.value = "";
          }}
        />
      </label>
      {built && (
        <a download={`${built.operation}.json`} href={fileHref(built)}>
          <Download aria-hidden size="1em" /> {t("save")}
        </a>
      )}
      {built && <KeepButton built={built} />}
    </div>
  );
}
