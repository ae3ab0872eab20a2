import { ChevronDown } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from "react-aria-components";
import { useTranslations } from "use-intl";
import css from "./both.module.css";

interface Props {
  id: string;
  label: string;
  value: string;
  /** Ids seen on the screen; any other id can be typed. */
  suggestions: string[];
  /** Reads the next page of ids, where there is one. */
  onMore?: (() => void) | undefined;
  onChoose: (id: string) => void;
}

/** No id can be empty, so the row that asks for more has this one. */
const MORE = "";

/** Names a node: type any id, or pick one that is in sight. */
export function NamePicker({ id, label, value, suggestions, onMore, onChoose }: Props) {
  const t = useTranslations("both");
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const choose = (next: string) => {
    if (next !== "" && next !== value) onChoose(next);
  };
  const items = [...new Set(suggestions)].map((name) => ({ id: name, label: name }));
  if (onMore) items.push({ id: MORE, label: t("more") });
  return (
    <ComboBox
      className={css.picker ?? ""}
      aria-label={label}
      allowsCustomValue
      menuTrigger="focus"
      inputValue={typed}
      onInputChange={setTyped}
      onSelectionChange={(key) => {
        if (key !== MORE) return choose(key === null ? typed.trim() : String(key));
        setTyped(value);
        onMore?.();
      }}
      defaultItems={items}
    >
      <Label className="visually-hidden">{label}</Label>
      <Input
        id={id}
        onFocus={(event) => event.target.select()}
        onBlur={() => choose(typed.trim())}
        onKeyDown={(event) => {
          const picking = event.currentTarget.getAttribute("aria-activedescendant") !== null;
          if (event.key === "Enter" && !picking) choose(typed.trim());
        }}
        spellCheck={false}
        autoComplete="off"
        placeholder={label}
      />
      <Button className={css.chevron ?? ""}>
        <ChevronDown aria-hidden size="1em" />
      </Button>
      <Popover className={css.popover ?? ""}>
        <ListBox<{ id: string; label: string }> aria-label={label}>
          {(item) => (
            <ListBoxItem className={css.option ?? ""} textValue={item.label}>
              {item.label}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
