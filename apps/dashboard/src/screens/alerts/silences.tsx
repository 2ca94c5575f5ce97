/** The silences, with a button to end each. */
import type { Silence } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { usePermission } from '../../data/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty, ErrorBox } from '../../ui/states.tsx';
import { Timestamp, RelativeTime } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import style from './alerts.module.css';
import { matcherText, silencesInOrder } from './silence.model.ts';
import { useAction } from './use-action.ts';

export interface SilencesProps {
  readonly silences: readonly Silence[];
  readonly onAdd: () => void;
  readonly onDone: (message: string) => void;
}

export function Silences({ silences, onAdd, onDone }: SilencesProps): ReactNode {
  const { reason } = usePermission();
  const action = useAction();
  const end = async ({ id, comment }: Silence): Promise<void> => {
    if (await action.run<Silence>(`/v1/silences/${encodeURIComponent(id)}`, { method: 'DELETE' })) onDone(`Ended the silence: ${comment}.`);
  };
  return (
    <div className={style['stack']}>
      <div>
        <Button kind="primary" icon="silence" disabledReason={reason} onClick={onAdd}>
          New silence
        </Button>
      </div>
      {action.problem && <ErrorBox problem={action.problem} />}
      {silences.length === 0 && (
        <Empty title="No silences.">A silence stops notifications for a while, for example during maintenance of a tool.</Empty>
      )}
      <ul className={style['cards']}>
        {silencesInOrder(silences).map((silence) => (
          <li key={silence.id} className={style['card']} data-silence={silence.state}>
            <div className={style['cardHead']}>
              <SilenceState silence={silence} />
              {silence.matchers.map((matcher) => (
                <code key={matcherText(matcher)}>{visibleText(matcherText(matcher))}</code>
              ))}
            </div>
            <p>{visibleText(silence.comment)}</p>
            <p className={style['since']}>
              by {silence.created_by}, from <Timestamp at={silence.starts_at} /> to <Timestamp at={silence.ends_at} />
            </p>
            {silence.state !== 'expired' && (
              <div className={style['actions']}>
                <Button
                  icon="bell"
                  disabledReason={reason}
                  aria-label={`End the silence: ${visibleText(silence.comment)}`}
                  onClick={() => void end(silence)}
                >
                  End now
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function SilenceState({ silence: { state, starts_at, ends_at } }: { readonly silence: Silence }): ReactNode {
  if (state === 'active')
    return (
      <Badge tone="own" icon="silence" filled>
        active, ends
        <RelativeTime at={ends_at} />
      </Badge>
    );
  if (state === 'pending')
    return (
      <Badge tone="accent" icon="clock">
        starts
        <RelativeTime at={starts_at} />
      </Badge>
    );
  return (
    <Badge icon="done">
      ended
      <RelativeTime at={ends_at} />
    </Badge>
  );
}
