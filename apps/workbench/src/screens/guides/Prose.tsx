import { GoLink } from "../../frame/GoLink";
import { guideHref } from "../../lib/places";
import css from "./guides.module.css";
import { type Span, spans } from "./markdown";

/** A text with its code, stresses and links. */
export function Prose({ connection, text }: { connection: string; text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text stay where they are
  return spans(text).map((span, at) => <Piece key={at} connection={connection} span={span} />);
}

function Piece({ connection, span }: { connection: string; span: Span }) {
  switch (span.kind) {
    case "code":
      return <code className={css.word}>{span.text}</code>;
    case "strong":
      return <strong>{span.text}</strong>;
    case "em":
      return <em>{span.text}</em>;
    case "link": {
      // A guide's file is a screen here; other pages of the documentation are not in the workbench.
      const guide = span.href.match(/^([\w-]+)(?:\.[\w-]+)?\.md$/)?.[1];
      return guide === undefined ? (
        span.text
      ) : (
        <GoLink href={guideHref(connection, guide)}>{span.text}</GoLink>
      );
    }
    default:
      return span.text;
  }
}
