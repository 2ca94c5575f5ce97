/** The error of a call: its result, and each failure with its classification. */
import type { CallResult } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { formatDuration, humanize } from '../../../ui/format.ts';
import { Facts } from '../../../ui/parts.tsx';
import type { CallView } from '@holdfast/core/turn-view';
import { circuitText } from '../labels.ts';
import { FailureMessage, type FailureMessageProps } from './failure-message.tsx';
import style from './inspector.module.css';
import { visibleText } from '../../../ui/visible-text.ts';

export interface ErrorTabProps {
  readonly call: CallView;
  readonly result: Partial<CallResult> | undefined;
  /** When the turn started, ISO 8601. */
  readonly startedAt: string;
}

export function ErrorTab({ call, result, startedAt }: ErrorTabProps): ReactNode {
  if (call.failures.length === 0 && !call.end?.error) return <p className="muted">No errors.</p>;
  const error = result?.error;
  return (
    <div className={style['stack']}>
      {call.end?.error !== undefined && call.end.error !== '' && (
        <Facts
          facts={[
            [
              'Error',
              <span key="e" className={style['error']}>
                {call.end.error}
              </span>,
            ],
            ['Code', <code key="c">{call.end.code}</code>],
            ...(error?.user_message === undefined ? [] : [['For the user', visibleText(error.user_message)] as const]),
            ...(error?.advice === undefined ? [] : [['For the model', visibleText(error.advice)] as const]),
            ...(call.end.stoppedBy === '' ? [] : [['Retries stopped by', humanize(call.end.stoppedBy)] as const]),
            ...(call.escalation === undefined ? [] : [['Escalated', call.escalation] as const]),
          ]}
        />
      )}
      {call.failures.map((failure) => (
        <FailureCard key={failure.seq} failure={failure} startedAt={startedAt} />
      ))}
    </div>
  );
}

function FailureCard({ failure, startedAt }: FailureMessageProps): ReactNode {
  const { attempt, toolName, atMs, code, classification, category, rule, status, retryAfterMs, ambiguous, durationMs } = failure;
  return (
    <div className={style['card']}>
      <div className={style['cardHead']}>
        <span className={style['cardTitle']}>{attempt === 0 ? `${toolName} was not called` : `Attempt ${attempt} of ${toolName}`}</span>
        <span className={style['at']}>{formatDuration(atMs)}</span>
      </div>
      <div className={style['cardBody']}>
        <p className={style['error']}>
          <FailureMessage failure={failure} startedAt={startedAt} />
        </p>
        <Facts
          facts={[
            ['Code', <code key="c">{code}</code>],
            ...(status === undefined ? [] : [['HTTP status', String(status)] as const]),
            ['Classified as', `${[classification, category].filter(Boolean).join(', ')}${rule === '' ? '' : `, by rule ${rule}`}`],
            ...(ambiguous ? [['Ambiguous', 'yes: the side effect may have happened'] as const] : []),
            ...(retryAfterMs === undefined ? [] : [['Retry-After', formatDuration(retryAfterMs)] as const]),
            ...(durationMs === undefined ? [] : [['Duration', formatDuration(durationMs)] as const]),
            ['Circuit', circuitText(failure.circuit, failure.heldMs)],
          ]}
        />
      </div>
    </div>
  );
}
