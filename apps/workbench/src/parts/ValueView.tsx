import type { AttributeValue } from "../api/client";
import { asTime, brief, open } from "../lib/value";
import css from "./value.module.css";

/** Characters of a value that are drawn, at most: an attribute can have 400 KB. The inspector shows all. */
const DRAWN = 500;

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
  const words = brief(value, DRAWN);
  return (
    <span className={css.value} data-type={type}>
      {chip && <span className={css.chip}>{type}</span>}
      <span className={css.text} title={words}>
        {words}
      </span>
      {time !== null && (
        <time className={css.time} title={time}>
          {time}
        </time>
      )}
    </span>
  );
}

/** The same without a frame of its own, for the cell that is its line: while scrolling hundreds change at once. */
export function ValueText({ name, value, chip }: { name: string; value: AttributeValue; chip: boolean }) {
  const time = asTime(name, value);
  return (
    <>
      {chip && <span className={css.chip}>{open(value).type}</span>}
      {brief(value, DRAWN)}
      {time !== null && <time className={css.time}>{time}</time>}
    </>
  );
}
