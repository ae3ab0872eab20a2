import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { useTranslations } from "use-intl";
import { Button } from "./Button";
import css from "./sheet.module.css";

interface Props {
  title: string;
  /** `middle` for something to pick or read, `right` and `left` for a panel along an edge. */
  side: "middle" | "right" | "left";
  /** The title is only for screen readers. */
  bare?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** Something over the screen: Escape and a press beside it close it, and the focus goes back to where it was. */
export function Sheet({ title, side, bare = false, onClose, children }: Props) {
  return (
    <ModalOverlay
      isOpen
      isDismissable
      className={css.overlay ?? ""}
      data-side={side}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Modal className={css.sheet ?? ""} data-side={side}>
        <Dialog className={css.dialog ?? ""} {...(bare && { "aria-label": title })}>
          {!bare && <SheetHead title={title} onClose={onClose} />}
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** What a sheet is, and the way out of it. */
export function SheetHead({ title, onClose }: Pick<Props, "title" | "onClose">) {
  const t = useTranslations("state");
  return (
    <div className={css.head}>
      <Heading slot="title">{title}</Heading>
      <Button tone="quiet" aria-label={t("close")} onPress={onClose}>
        <X aria-hidden size="1.25em" />
      </Button>
    </div>
  );
}
