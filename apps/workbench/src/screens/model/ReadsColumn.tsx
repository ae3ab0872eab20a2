import { Plus, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import type { Model } from "../../api/client";
import { Button } from "../../parts/Button";
import type { Proof } from "../tables/reads";
import { type Places, without, withRead } from "./document";
import css from "./model.module.css";

interface Props {
  model: Model;
  patterns: Proof[];
  text: string;
  places: Places | undefined;
  onText: (text: string) => void;
  onSet: (path: string, value: string) => void;
}

/** What the model is for, in its users' words. */
export function ReadsColumn({ model, patterns, text, places, onText, onSet }: Props) {
  const t = useTranslations("model");
  const names = [...new Set(patterns.map((p) => p.name))];
  return (
    <section aria-label={t("reads")} className={css.reads}>
      <h2>{t("reads")}</h2>
      <ul>
        {names.map((name, at) => {
          const path = `pattern.${name}.name`;
          const proof = patterns.find((p) => p.name === name);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a name that is being typed must not lose the focus
            <li key={at}>
              {places?.[path] === undefined ? (
                <span>{name}</span>
              ) : (
                <input
                  title={name}
                  aria-label={t("readName", { n: at + 1 })}
                  value={name}
                  onChange={(event) => {
                    // A name is part of its own place: an empty one, or one with a dot, would have none.
                    if (event.target.value !== "" && !event.target.value.includes("."))
                      onSet(path, event.target.value);
                  }}
                />
              )}
              {proof && <small>{t("accessOf", { access: proof.access, of: proof.of })}</small>}
              {places && (
                <Button
                  tone="quiet"
                  aria-label={t("removeRead", { name })}
                  onPress={() => onText(without(text, places, `pattern.${name}`))}
                >
                  <X aria-hidden size="1em" />
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      <AddRead model={model} onAdd={(read) => onText(withRead(text, read))} />
    </section>
  );
}

const ofRelations = ["out", "in", "edge", "count", "set", "link", "unlink"];
const ofEntities = ["show", "entity"];

interface AddProps {
  model: Model;
  onAdd: (read: { name: string; access: string; of: string; items: string }) => void;
}

function AddRead({ model, onAdd }: AddProps) {
  const t = useTranslations("model");
  const [name, setName] = useState<string | null>(null);
  const [access, setAccess] = useState("out");
  const subjects = ofEntities.includes(access)
    ? model.entities.map((e) => e.name)
    : model.relations.map((r) => r.name);
  const [of, setOf] = useState("");
  const subject = subjects.includes(of) ? of : (subjects[0] ?? "");
  if (name === null)
    return (
      <Button tone="quiet" onPress={() => setName("")}>
        <Plus aria-hidden size="1em" /> {t("addRead")}
      </Button>
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name === "" || subject === "") return;
    onAdd({
      name: name.replaceAll(".", " "),
      access,
      of: subject,
      items: access === "out" || access === "in" ? "100" : "",
    });
    setName(null);
  };
  return (
    <form className={css.addRead} onSubmit={submit}>
      <input
        aria-label={t("addRead")}
        placeholder={t("readPlaceholder")}
        ref={focusOnce}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <select aria-label={t("access")} value={access} onChange={(event) => setAccess(event.target.value)}>
        {[...ofRelations, ...ofEntities].map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <select aria-label={t("of")} value={subject} onChange={(event) => setOf(event.target.value)}>
        {subjects.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <Button type="submit" isDisabled={name === "" || subject === ""}>
        {t("add")}
      </Button>
    </form>
  );
}

const focusOnce = (el: HTMLInputElement | null) => el?.focus();
