import { type ButtonProps, Button as Press } from "react-aria-components";
import css from "./button.module.css";

/** `primary` for the one action of a place, `quiet` for those beside it. */
export function Button({ tone = "plain", ...props }: ButtonProps & { tone?: "plain" | "primary" | "quiet" }) {
  return <Press {...props} className={`${css.button} ${css[tone]}`} />;
}
