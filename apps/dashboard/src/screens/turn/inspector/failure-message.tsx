/** The message of a failure. For a refusal by a circuit: since when it was open, why, and a link to the call that opened it. */
import type { FailureView } from '@holdfast/core/turn-view';
import type { CircuitTimeline } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { turnPath } from '../../../data/routes.ts';
import { useQuery } from '../../../data/use-query.ts';
import { gatewayNow } from '../../../ui/clock.ts';
import { Link } from '../../../ui/link.tsx';
import { failureText } from '../labels.ts';
import { isByCircuit, openedBy, openingBefore, openingText, rangeOf } from '../refusal.model.ts';

export interface FailureMessageProps {
  readonly failure: FailureView;
  /** When the turn started, ISO 8601. */
  readonly startedAt: string;
}

export function FailureMessage({ failure, startedAt }: FailureMessageProps): ReactNode {
  return isByCircuit(failure) ? <CircuitRefusal failure={failure} startedAt={startedAt} /> : failureText(failure);
}

function CircuitRefusal({ failure, startedAt }: FailureMessageProps): ReactNode {
  const nowMs = gatewayNow();
  const atMs = Date.parse(startedAt) + failure.atMs;
  const path = `/v1/tools/${encodeURIComponent(failure.toolName)}/circuit?range=${rangeOf(atMs, nowMs)}`;
  const { data } = useQuery<CircuitTimeline>(path);
  const opening = data && openingBefore(data.changes, atMs);
  if (opening === undefined) return failureText(failure);
  const cause = openedBy(opening);
  return (
    <>
      {openingText(opening, nowMs)}.
      {cause && (
        <>
          {' '}
          <Link to={turnPath(cause.turnId, { call: cause.callId })}>See the call that opened it</Link>
        </>
      )}
    </>
  );
}
