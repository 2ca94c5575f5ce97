/** The latest failed calls and the slowest calls of a tool. */
import type { CallPointer, FailurePointer } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { failurePath, turnPath } from '../../data/routes.ts';
import { formatNumber, pluralize } from '../../ui/format.ts';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { resultIndicator, Status } from '../../ui/status.tsx';
import { describeStopReason } from '../../ui/stop-reasons.ts';
import { Table } from '../../ui/table.tsx';
import { Duration, RelativeTime } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { groupFailures } from './history.model.ts';
import style from './tool.module.css';

const keyOf = ({ turn_id, call_id, at }: { readonly turn_id: string; readonly call_id: string; readonly at: string }): string =>
  `${turn_id} ${call_id} ${at}`;

export interface LatestFailuresProps {
  readonly tool: string;
  readonly failures: readonly FailurePointer[];
  /** Calls of the range that were refused before an attempt: they are counted, not listed. */
  readonly refused: number;
}

export function LatestFailures({ tool, failures, refused }: LatestFailuresProps): ReactNode {
  return (
    <Section title="Latest failed calls">
      {failures.length === 0 ? (
        <p className="muted">{refused === 0 ? 'No failed calls in this range.' : 'No call failed after an attempt in this range.'}</p>
      ) : (
        <Table
          caption="Latest failed calls, consecutive similar ones grouped"
          rows={groupFailures(failures)}
          keyOf={({ latest }) => keyOf(latest)}
          columns={[
            { id: 'call', title: 'Call', cell: ({ latest }) => <CallLink pointer={latest} /> },
            { id: 'at', title: 'When', narrow: true, cell: ({ latest }) => <RelativeTime at={latest.at} /> },
            { id: 'count', title: 'Calls', align: 'end', cell: ({ count }) => formatNumber(count) },
            { id: 'error', title: 'Error', cell: ({ latest }) => <Failed failure={latest} /> },
            { id: 'stopped', title: 'Retries stopped by', secondary: true, cell: ({ latest }) => stopText(latest) },
          ]}
        />
      )}
      {refused > 0 && (
        <p className="muted">
          {pluralize(refused, 'further call')} of this range {refused === 1 ? 'was' : 'were'} refused before any attempt.{' '}
          <Link to={`/turns?tool=${encodeURIComponent(tool)}`}>Turns of this tool</Link>
        </p>
      )}
    </Section>
  );
}

export function SlowestCalls({ calls }: { readonly calls: readonly CallPointer[] }): ReactNode {
  return (
    <Section title="Slowest calls">
      {calls.length === 0 ? (
        <p className="muted">No calls in this range.</p>
      ) : (
        <Table
          caption="Slowest calls"
          rows={calls}
          keyOf={keyOf}
          columns={[
            { id: 'call', title: 'Call', cell: (call) => <CallLink pointer={call} /> },
            { id: 'at', title: 'When', narrow: true, cell: (call) => <RelativeTime at={call.at} /> },
            { id: 'took', title: 'Duration', align: 'end', narrow: true, cell: (call) => <Duration ms={call.duration_ms} /> },
            { id: 'attempts', title: 'Attempts', align: 'end', cell: (call) => formatNumber(call.attempts) },
            { id: 'status', title: 'Status', cell: (call) => <Status indicator={resultIndicator(call.status)} /> },
          ]}
        />
      )}
    </Section>
  );
}

function Failed({ failure: { signature, code, message } }: { readonly failure: FailurePointer }): ReactNode {
  return (
    <>
      {signature === undefined ? (
        <code>{visibleText(code)}</code>
      ) : (
        <Link to={failurePath(signature)} quiet>
          <code>{visibleText(code)}</code>
        </Link>
      )}
      <span className={style['message']}>{visibleText(message)}</span>
    </>
  );
}

/** A call that was refused had no retries. */
const stopText = ({ stopped_by, attempt }: FailurePointer): string =>
  stopped_by === undefined ? (attempt === 0 ? 'not attempted' : '–') : describeStopReason(stopped_by).short;

function CallLink({
  pointer,
}: {
  readonly pointer: { readonly turn_id: string; readonly call_id: string; readonly at: string };
}): ReactNode {
  return (
    <Link to={turnPath(pointer.turn_id, { call: pointer.call_id })} title={`${pointer.call_id} of ${pointer.turn_id}`}>
      {visibleText(pointer.call_id)} of {visibleText(pointer.turn_id)}
    </Link>
  );
}
