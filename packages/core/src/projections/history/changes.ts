/** Owns "what changed": which of the things that happen are told as a change, and how. */
import type { ClusteredFailure } from './clusters.ts';
import type { ToolCircuitChange } from './circuit-fold.ts';
import type { ChangeRecord } from './records.ts';

const longestPattern = 160;
const kinds = { open: 'circuit_opened', half_open: 'circuit_half_opened', closed: 'circuit_closed' } as const;
const states = { open: 'opened', half_open: 'half-opened', closed: 'closed' } as const;

export function circuitChanged({
  toolName: tool,
  change: { at, to, reason, failure_count: failures, turn_id, call_id },
}: ToolCircuitChange): ChangeRecord {
  const why = reason === 'failure_threshold' && failures !== undefined ? `${failures} failures in a row` : (reasons[reason] ?? reason);
  return {
    at,
    kind: kinds[to],
    text: `Circuit of ${tool} ${states[to]}: ${why}`,
    tool_id: tool,
    ...(turn_id === undefined ? {} : { turn_id }),
    ...(call_id === undefined ? {} : { call_id }),
  };
}

const reasons: Readonly<Record<string, string>> = {
  failure_rate: 'too large a share of its calls failed',
  slow_call_rate: 'too large a share of its calls was slow',
  open_period_elapsed: 'the next call tests it',
  probe_succeeded: 'the test call succeeded',
  probe_failed: 'the test call failed',
  probe_lease_expired: 'the test call did not answer in time',
  permanent_probes: 'the service answers',
  fleet: 'the services that share it agreed',
  manual: 'by hand',
};

export function failureAppeared(tool: string, { failure, pattern }: ClusteredFailure): ChangeRecord {
  const { at, turn_id, call_id, code, signature } = failure;
  const told = pattern.length > longestPattern ? `${pattern.slice(0, longestPattern)}…` : pattern;
  return {
    at,
    kind: 'new_failure',
    text: `New failure of ${tool}: ${code} ${told}`,
    tool_id: tool,
    turn_id,
    call_id,
    ...(signature === undefined ? {} : { signature }),
  };
}
