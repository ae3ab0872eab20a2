import { useRouter } from "@tanstack/react-router";
import type { ComponentPropsWithRef, MouseEvent } from "react";

/** A link to a screen by its address: a plain click stays in the page, any other opens as links do. */
export function GoLink({ href, onClick, ...props }: ComponentPropsWithRef<"a"> & { href: string }) {
  const router = useRouter();
  const go = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    event.preventDefault();
    router.history.push(href);
  };
  return <a {...props} href={href} onClick={go} />;
}
