import { type FormEvent, useId, useState } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { useTranslations } from "use-intl";
import { Button } from "./Button";
import css from "./confirm.module.css";
import { ProblemPanel } from "./ProblemPanel";

interface Props {
  open: boolean;
  title: string;
  warning: string;
  /** What has to be typed. */
  name: string;
  action: string;
  pending: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks for the name of what is to be destroyed. The only modal there is. */
export function ConfirmByName({ open, onClose, ...rest }: Props) {
  return (
    <ModalOverlay
      isOpen={open}
      onOpenChange={(now) => !now && onClose()}
      isDismissable
      className={css.overlay ?? ""}
    >
      <Modal className={css.modal ?? ""}>
        <Dialog className={css.dialog ?? ""} role="alertdialog">
          <Question {...rest} onClose={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The question itself, without what is around it. */
export function Question({
  title,
  warning,
  name,
  action,
  pending,
  error,
  onConfirm,
  onClose,
}: Omit<Props, "open">) {
  const t = useTranslations("confirm");
  const [typed, setTyped] = useState("");
  const hint = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed === name) onConfirm();
  };
  return (
    <form onSubmit={submit}>
      <Heading slot="title" className={css.title ?? ""}>
        {title}
      </Heading>
      <p>{warning}</p>
      <label>
        <span id={hint}>{t("type", { name })}</span>
        <input
          aria-describedby={hint}
          ref={focusOnce}
          value={typed}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
      {error !== null && <ProblemPanel error={error} />}
      <p className={css.actions}>
        <Button tone="quiet" onPress={onClose}>
          {t("cancel")}
        </Button>
        <Button type="submit" isDisabled={typed !== name || pending}>
          <span className={css.danger} data-ready={typed === name || undefined}>
            {action}
          </span>
        </Button>
      </p>
    </form>
  );
}

const focusOnce = (el: HTMLInputElement | null) => el?.focus();
