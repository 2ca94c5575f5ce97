/** Owns single calls of a tool: the latest that failed, the slowest. */
import type { CallPointer, FailurePointer } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { failurePath, turnPath } from '../../data/routes.ts';
import { number } from '../../ui/format.ts';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { resultSign, Status } from '../../ui/status.tsx';
import { stopWords } from '../../ui/stop-words.ts';
import { Table } from '../../ui/table.tsx';
import { Duration, RelativeTime } from '../../ui/time.tsx';
import style from './tool.module.css';

const keyOf = ({ turn_id, call_id, at }: { readonly turn_id: string; readonly call_id: string; readonly at: string }): string =>
  `${turn_id} ${call_id} ${at}`;

export function LatestFailures({ failures }: { readonly failures: readonly FailurePointer[] }): ReactNode {
  return (
    <Section title="Latest failed calls">
      {failures.length === 0 ? (
        <p className="muted">No call failed in this range.</p>
      ) : (
        <Table
          caption="Latest failed calls"
          rows={failures}
          keyOf={keyOf}
          columns={[
            { id: 'at', title: 'When', narrow: true, cell: (failure) => <CallLink pointer={failure} /> },
            {
              id: 'error',
              title: 'Error',
              cell: (failure) => (
                <>
                  {failure.signature === undefined ? (
                    <code>{failure.code}</code>
                  ) : (
                    <Link to={failurePath(failure.signature)} quiet>
                      <code>{failure.code}</code>
                    </Link>
                  )}
                  <span className={style['message']}>{failure.message}</span>
                </>
              ),
            },
            {
              id: 'stopped',
              title: 'Retries stopped',
              late: true,
              cell: ({ stopped_by }) => (stopped_by === undefined ? '–' : stopWords(stopped_by).short),
            },
          ]}
        />
      )}
    </Section>
  );
}

export function SlowestCalls({ calls }: { readonly calls: readonly CallPointer[] }): ReactNode {
  return (
    <Section title="Slowest calls">
      {calls.length === 0 ? (
        <p className="muted">No call in this range.</p>
      ) : (
        <Table
          caption="Slowest calls"
          rows={calls}
          keyOf={keyOf}
          columns={[
            { id: 'at', title: 'When', narrow: true, cell: (call) => <CallLink pointer={call} /> },
            { id: 'took', title: 'Took', align: 'end', narrow: true, cell: (call) => <Duration ms={call.duration_ms} /> },
            { id: 'attempts', title: 'Attempts', align: 'end', cell: (call) => number(call.attempts) },
            { id: 'status', title: 'Ended', cell: (call) => <Status sign={resultSign(call.status)} /> },
          ]}
        />
      )}
    </Section>
  );
}

function CallLink({
  pointer,
}: {
  readonly pointer: { readonly turn_id: string; readonly call_id: string; readonly at: string };
}): ReactNode {
  return (
    <Link to={turnPath(pointer.turn_id, { call: pointer.call_id })} title={`${pointer.call_id} of ${pointer.turn_id}`}>
      <RelativeTime at={pointer.at} />
    </Link>
  );
}
