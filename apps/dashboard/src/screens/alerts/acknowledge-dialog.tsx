/** The dialog to acknowledge an alert. */
import type { AlertItem } from '@holdfast/gateway/contract';
import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextArea } from '../../ui/field.tsx';
import { ErrorBox } from '../../ui/states.tsx';
import { useAction } from './use-action.ts';

export interface AcknowledgeDialogProps {
  readonly alert: AlertItem | undefined;
  readonly onClose: () => void;
  /** Called with a sentence that describes the result. */
  readonly onDone: (message: string) => void;
}

export function AcknowledgeDialog({ alert, onClose, onDone }: AcknowledgeDialogProps): ReactNode {
  const [comment, setComment] = useState('');
  const action = useAction();
  const close = (): void => {
    action.reset();
    setComment('');
    onClose();
  };
  const send = async (): Promise<void> => {
    if (!alert) return;
    const body = comment.trim() === '' ? {} : { comment: comment.trim() };
    const path = `/v1/alerts/${encodeURIComponent(alert.fingerprint)}/acknowledge`;
    if ((await action.run<AlertItem>(path, { method: 'POST', body })) === undefined) return;
    onDone(`Acknowledged: ${alert.summary}.`);
    close();
  };
  return (
    <Dialog
      title="Acknowledge"
      open={alert !== undefined}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" icon="hand" onClick={() => void send()} disabledReason={action.running ? 'Sending …' : undefined}>
            Acknowledge
          </Button>
        </>
      }
    >
      <p>
        <strong>{alert?.summary}</strong>
      </p>
      <p>No further notifications are sent until the alert is resolved and fires again. The resolution is notified.</p>
      <TextArea
        label="Comment"
        hint="Who is working on it, and the current state. Optional."
        value={comment}
        onChange={setComment}
        rows={3}
        maxLength={1000}
      />
      {action.problem && <ErrorBox problem={action.problem} />}
    </Dialog>
  );
}
