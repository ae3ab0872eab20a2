import { useEffect, useState } from "react";
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from "react-aria-components";
import css from "./both.module.css";

interface Props {
  label: string;
  value: string;
  /** Ids seen on the screen; any other id can be typed. */
  suggestions: string[];
  onChoose: (id: string) => void;
}

/** Names a node: type any id, or pick one that is in sight. */
export function NamePicker({ label, value, suggestions, onChoose }: Props) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const choose = (id: string) => {
    if (id !== "" && id !== value) onChoose(id);
  };
  return (
    <ComboBox
      className={css.picker ?? ""}
      aria-label={label}
      allowsCustomValue
      menuTrigger="focus"
      inputValue={typed}
      onInputChange={setTyped}
      onSelectionChange={(key) => choose(key === null ? typed.trim() : String(key))}
      defaultItems={[...new Set(suggestions)].map((id) => ({ id }))}
    >
      <Label className="visually-hidden">{label}</Label>
      <Input onBlur={() => choose(typed.trim())} spellCheck={false} autoComplete="off" />
      <Popover className={css.popover ?? ""}>
        <ListBox<{ id: string }>>
          {(item) => <ListBoxItem className={css.option ?? ""}>{item.id}</ListBoxItem>}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
