import { ChevronDown, ChevronRight, Pencil, Plus, X } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { useTranslations } from "use-intl";
import type { AttributeValue, Item } from "../api/client";
import { open, type TypeName } from "../lib/value";
import { Button } from "./Button";
import css from "./tree.module.css";
import { ValueEditor } from "./ValueEditor";
import { ValueView } from "./ValueView";
import { type Fault, parseValue } from "./valueText";

interface Props {
  name: string;
  value: AttributeValue;
  /** Without it the value is only shown. */
  onChange?: ((value: AttributeValue) => void) | undefined;
  onRemove?: (() => void) | undefined;
  /** Types that it can have; a key has one. */
  types?: TypeName[] | undefined;
  note?: string | undefined;
}

/** A value with everything inside it: each level opens, each leaf is edited where it stands. */
export function ValueTree({ name, value, onChange, onRemove, types, note }: Props) {
  const t = useTranslations("tree");
  const [opened, setOpened] = useState(false);
  const [editing, setEditing] = useState(false);
  const { type, raw } = open(value);
  const inner = type === "M" || type === "L" || type.length === 2;
  const size = type === "M" ? Object.keys(raw as Item).length : (raw as unknown[] | undefined)?.length;
  if (editing && onChange)
    return (
      <ValueEditor
        name={name}
        value={value}
        {...(types && { types })}
        note={note}
        onDone={(next) => {
          setEditing(false);
          onChange(next);
        }}
        onCancel={() => setEditing(false)}
      />
    );
  return (
    <div className={css.node}>
      <div className={css.line}>
        {inner && (
          <Button
            tone="quiet"
            aria-expanded={opened}
            aria-label={t(opened ? "close" : "open", { name })}
            onPress={() => setOpened(!opened)}
          >
            {opened ? <ChevronDown aria-hidden size="1em" /> : <ChevronRight aria-hidden size="1em" />}
          </Button>
        )}
        {inner && opened ? (
          <span className={css.size}>{t("members", { type, n: size ?? 0 })}</span>
        ) : (
          <ValueView name={name} value={value} />
        )}
        <span className={css.actions}>
          {onChange && (
            <Button tone="quiet" aria-label={t("edit", { name })} onPress={() => setEditing(true)}>
              <Pencil aria-hidden size="1em" />
            </Button>
          )}
          {onRemove && (
            <Button tone="quiet" aria-label={t("remove", { name })} onPress={onRemove}>
              <X aria-hidden size="1em" />
            </Button>
          )}
        </span>
      </div>
      {inner && opened && (
        <div className={css.inner}>
          {type === "M" && <MapMembers name={name} members={raw as Item} onChange={onChange} />}
          {type === "L" && <ListMembers name={name} members={raw as AttributeValue[]} onChange={onChange} />}
          {type.length === 2 && (
            <SetMembers name={name} type={type} members={raw as string[]} onChange={onChange} />
          )}
        </div>
      )}
    </div>
  );
}

type Change = Props["onChange"];

function MapMembers({ name, members, onChange }: { name: string; members: Item; onChange: Change }) {
  const put = (changed: Item) => onChange?.({ M: changed });
  return (
    <>
      <ul>
        {Object.entries(members).map(([member, value]) => (
          <li key={member}>
            <span className={css.name}>{member}</span>
            <ValueTree
              name={`${name}.${member}`}
              value={value}
              onChange={onChange && ((next) => put({ ...members, [member]: next }))}
              onRemove={
                onChange &&
                (() => put(Object.fromEntries(Object.entries(members).filter(([each]) => each !== member))))
              }
            />
          </li>
        ))}
      </ul>
      {onChange && (
        <NewMember
          of={name}
          taken={Object.keys(members)}
          onAdd={(member, value) => put(Object.fromEntries([...Object.entries(members), [member, value]]))}
        />
      )}
    </>
  );
}

function ListMembers({
  name,
  members,
  onChange,
}: {
  name: string;
  members: AttributeValue[];
  onChange: Change;
}) {
  const t = useTranslations("tree");
  const [adding, setAdding] = useState(false);
  return (
    <>
      <ol>
        {members.map((value, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a list's members have no name but their place
          <li key={at}>
            <span className={css.name}>{at}</span>
            <ValueTree
              name={`${name}[${at}]`}
              value={value}
              onChange={onChange && ((next) => onChange({ L: members.with(at, next) }))}
              onRemove={onChange && (() => onChange({ L: members.toSpliced(at, 1) }))}
            />
          </li>
        ))}
      </ol>
      {onChange &&
        (adding ? (
          <ValueEditor
            name={`${name}[${members.length}]`}
            value={undefined}
            onDone={(value) => {
              setAdding(false);
              onChange({ L: [...members, value] });
            }}
            onCancel={() => setAdding(false)}
          />
        ) : (
          <Button tone="quiet" onPress={() => setAdding(true)}>
            <Plus aria-hidden size="1em" /> {t("append", { name })}
          </Button>
        ))}
    </>
  );
}

interface SetProps {
  name: string;
  type: TypeName;
  members: string[];
  onChange: Change;
}

/** A set's members, each with its own way out; the last one stays, for a set is never empty. */
function SetMembers({ name, type, members, onChange }: SetProps) {
  const t = useTranslations("tree");
  const words = useTranslations("value");
  const [text, setText] = useState("");
  const [fault, setFault] = useState<Fault | null>(null);
  const add = () => {
    const parsed = parseValue(type, [...members, text].join("\n"));
    if ("fault" in parsed) return setFault(parsed.fault);
    onChange?.(parsed.value);
    setText("");
    setFault(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (text !== "") add();
  };
  return (
    <>
      <ul className={css.set}>
        {members.map((member) => (
          <li key={member} className={css.member}>
            <code>{member}</code>
            {onChange && members.length > 1 && (
              <Button
                tone="quiet"
                aria-label={t("remove", { name: member })}
                onPress={() => onChange({ [type]: members.filter((m) => m !== member) })}
              >
                <X aria-hidden size="1em" />
              </Button>
            )}
          </li>
        ))}
      </ul>
      {onChange && (
        <span className={css.adder}>
          <input
            aria-label={t("newMember", { name })}
            placeholder={t("newMember", { name })}
            aria-invalid={fault !== null}
            value={text}
            spellCheck={false}
            onChange={(event) => {
              setText(event.target.value);
              setFault(null);
            }}
            onKeyDown={onKeyDown}
          />
          <Button tone="quiet" isDisabled={text === ""} aria-label={t("addTo", { name })} onPress={add}>
            <Plus aria-hidden size="1em" />
          </Button>
          <span className={css.fault} role="status">
            {fault && words(fault)}
          </span>
        </span>
      )}
    </>
  );
}

interface NewProps {
  of: string;
  taken: string[];
  onAdd: (name: string, value: AttributeValue) => void;
}

/** Asks for a name, then for its value. */
export function NewMember({ of, taken, onAdd }: NewProps) {
  const t = useTranslations("tree");
  const [name, setName] = useState<string | null>(null);
  const [named, setNamed] = useState(false);
  const stop = () => {
    setName(null);
    setNamed(false);
  };
  if (name === null)
    return (
      <Button tone="quiet" onPress={() => setName("")}>
        <Plus aria-hidden size="1em" /> {of === "" ? t("addAttribute") : t("addMember", { name: of })}
      </Button>
    );
  if (named)
    return (
      <div>
        <span className={css.name}>{name}</span>
        <ValueEditor
          name={name}
          value={undefined}
          onDone={(value) => {
            onAdd(name, value);
            stop();
          }}
          onCancel={stop}
        />
      </div>
    );
  const known = taken.includes(name);
  return (
    <span className={css.adder}>
      <input
        aria-label={t("memberName")}
        placeholder={t("memberName")}
        ref={(el) => el?.focus()}
        aria-invalid={known}
        value={name}
        spellCheck={false}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") stop();
          if (event.key !== "Enter") return;
          event.preventDefault();
          if (name !== "" && !known) setNamed(true);
        }}
      />
      <Button tone="quiet" isDisabled={name === "" || known} onPress={() => setNamed(true)}>
        {t("next")}
      </Button>
      <span className={css.fault} role="status">
        {known && t("taken")}
      </span>
    </span>
  );
}
