/** What went wrong with a call: its end in words, each failure as it was classified. */
import type { CallResult } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { duration, plainWords } from '../../../ui/format.ts';
import { Facts } from '../../../ui/parts.tsx';
import type { CallView, FailureView } from '@holdfast/core/turn-view';
import { failureText } from '../words.ts';
import style from './inspector.module.css';
import { visibleText } from '../../../ui/visible-text.ts';

export interface ErrorTabProps {
  readonly call: CallView;
  readonly result: Partial<CallResult> | undefined;
}

export function ErrorTab({ call, result }: ErrorTabProps): ReactNode {
  if (call.failures.length === 0 && !call.end?.error) return <p className="muted">Nothing went wrong.</p>;
  const told = result?.error;
  return (
    <div className={style['stack']}>
      {call.end?.error !== undefined && call.end.error !== '' && (
        <Facts
          facts={[
            [
              'Answered with',
              <span key="e" className={style['error']}>
                {call.end.error}
              </span>,
            ],
            ['Code', <code key="c">{call.end.code}</code>],
            ...(told?.user_message === undefined ? [] : [['For the user', visibleText(told.user_message)] as const]),
            ...(told?.advice === undefined ? [] : [['For the model', visibleText(told.advice)] as const]),
            ...(call.end.stoppedBy === '' ? [] : [['Retries stopped by', plainWords(call.end.stoppedBy)] as const]),
            ...(call.escalation === undefined ? [] : [['Escalated', call.escalation] as const]),
          ]}
        />
      )}
      {call.failures.map((failure) => (
        <FailureCard key={failure.seq} failure={failure} />
      ))}
    </div>
  );
}

function FailureCard({ failure }: { readonly failure: FailureView }): ReactNode {
  const { attempt, toolName, atMs, code, classification, category, rule, status, retryAfterMs, ambiguous, circuit, durationMs } = failure;
  return (
    <div className={style['card']}>
      <div className={style['cardHead']}>
        <span className={style['cardTitle']}>{attempt === 0 ? `${toolName} was not called` : `Attempt ${attempt} of ${toolName}`}</span>
        <span className={style['at']}>{duration(atMs)}</span>
      </div>
      <div className={style['cardBody']}>
        <p className={style['error']}>{failureText(failure)}</p>
        <Facts
          facts={[
            ['Code', <code key="c">{code}</code>],
            ...(status === undefined ? [] : [['HTTP status', String(status)] as const]),
            ['Classified as', `${[classification, category].filter(Boolean).join(', ')}${rule === '' ? '' : `, by rule ${rule}`}`],
            ...(ambiguous ? [['May have happened', 'yes: the request had been sent'] as const] : []),
            ...(retryAfterMs === undefined ? [] : [['Asked to wait', duration(retryAfterMs)] as const]),
            ...(durationMs === undefined ? [] : [['After', duration(durationMs)] as const]),
            ['Circuit', circuit.replace('_', '-')],
          ]}
        />
      </div>
    </div>
  );
}
