import type { ReactNode } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { useTexts } from '../texts/texts-context.tsx';
import { ActionButton, type ActionKind } from './action-button.tsx';
import { ProblemMessage } from './problem-message.tsx';
import type { Action } from './use-action.ts';

/** Asks before an action, by default one that cannot be undone. The caller closes it after the action. */
export function ConfirmDialog(props: {
  title: string;
  confirmLabel: string;
  confirmKind?: ActionKind;
  action: Action<void>;
  onClose: () => void;
  children: ReactNode;
}) {
  const { text } = useTexts();
  const { title, confirmLabel, confirmKind = 'danger', action, onClose, children } = props;
  return (
    <ModalOverlay className="overlay" isOpen onOpenChange={(isOpen) => isOpen || onClose()} isDismissable>
      <Modal className="modal">
        <Dialog className="dialog" role="alertdialog">
          <Heading slot="title">{title}</Heading>
          {children}
          <ProblemMessage problem={action.problem} />
          <div className="actions">
            <ActionButton kind={confirmKind} isPending={action.isPending} onPress={() => action.run()}>
              {confirmLabel}
            </ActionButton>
            <ActionButton onPress={onClose}>{text('cancel')}</ActionButton>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
