/** Owns the list of changes: what is reported as a change, and its text. */
import { truncate } from '../../engine/plain/truncate.ts';
import type { ClusteredFailure } from './clusters.ts';
import type { ToolCircuitChange } from './circuit-fold.ts';
import type { ChangeRecord } from './records.ts';

const maxPatternLength = 160;
const kinds = { open: 'circuit_opened', half_open: 'circuit_half_opened', closed: 'circuit_closed' } as const;
const states = { open: 'opened', half_open: 'half-opened', closed: 'closed' } as const;

export function circuitChanged({
  toolName: tool,
  partition,
  change: { at, to, reason, failure_count: failures, turn_id, call_id },
}: ToolCircuitChange): ChangeRecord {
  const cause = reason === 'failure_threshold' && failures !== undefined ? `${failures} failures in a row` : (reasons[reason] ?? reason);
  return {
    at,
    kind: kinds[to],
    text: `Circuit of ${tool}${partition === undefined ? '' : ` for ${partition}`} ${states[to]}: ${cause}`,
    tool_id: tool,
    ...(turn_id === undefined ? {} : { turn_id }),
    ...(call_id === undefined ? {} : { call_id }),
  };
}

const reasons: Readonly<Record<string, string>> = {
  failure_rate: 'too many of its calls failed',
  slow_call_rate: 'too many of its calls were slow',
  open_period_elapsed: 'the next call tests it',
  probe_succeeded: 'the test call succeeded',
  probe_failed: 'the test call failed',
  probe_lease_expired: 'the test call did not answer in time',
  permanent_probes: 'the service answers',
  fleet: 'the fleet that shares it decided it',
  manual: 'changed by an operator',
};

export function failureAppeared(tool: string, { failure, pattern }: ClusteredFailure): ChangeRecord {
  const { at, turn_id, call_id, code, signature } = failure;
  const shownPattern = truncate(pattern, maxPatternLength);
  return {
    at,
    kind: 'new_failure',
    text: `New failure of ${tool}: ${code} ${shownPattern}`,
    tool_id: tool,
    turn_id,
    call_id,
    ...(signature === undefined ? {} : { signature }),
  };
}
