import type { AttributeValue } from "../api/client";
import { asTime, open, text } from "../lib/value";
import css from "./value.module.css";

/** One typed value on one line: type chip, content, and for an epoch the UTC time beside it. */
export function ValueView({
  name,
  value,
  chip = true,
}: {
  name: string;
  value: AttributeValue;
  chip?: boolean;
}) {
  const { type } = open(value);
  const time = asTime(name, value);
  return (
    <span className={css.value} data-type={type}>
      {chip && <span className={css.chip}>{type}</span>}
      <span className={css.text} title={text(value)}>
        {text(value)}
      </span>
      {time !== null && (
        <time className={css.time} title={time}>
          {time}
        </time>
      )}
    </span>
  );
}
