/** Owns saying that somebody looks after an alert. */
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
  /** Told what was done, in a sentence. */
  readonly onDone: (said: string) => void;
}

export function AcknowledgeDialog({ alert, onClose, onDone }: AcknowledgeDialogProps): ReactNode {
  const [comment, setComment] = useState('');
  const action = useAction();
  const close = (): void => {
    action.forget();
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
          <Button kind="primary" icon="hand" onClick={() => void send()} disabledReason={action.running ? 'It is being sent.' : undefined}>
            Acknowledge
          </Button>
        </>
      }
    >
      <p>
        <strong>{alert?.summary}</strong>
      </p>
      <p>Nobody is notified of it again until it ends and comes back. Its end is told.</p>
      <TextArea
        label="Comment"
        hint="Who looks after it, and how far they are. May stay empty."
        value={comment}
        onChange={setComment}
        rows={3}
        maxLength={1000}
      />
      {action.problem && <ErrorBox problem={action.problem} />}
    </Dialog>
  );
}
