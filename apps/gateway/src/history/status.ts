/** Owns the status of a tool and its reason as a sentence. */
import type { CellCounts } from '@holdfast/core/history';
import { shareOf } from '@holdfast/core/internal';
import type { CircuitMode, CircuitState, ToolStatus } from '../contract.ts';
import { failureShare, toCallCounts } from './describe-counts.ts';

export interface StatusFacts {
  readonly counts: CellCounts;
  /** `null` without a circuit breaker. */
  readonly circuit: CircuitState | null;
  readonly mode: CircuitMode;
  readonly retryAfterMs: number | undefined;
  readonly heldMs: number | undefined;
  readonly isDegraded: boolean;
}

interface Status {
  readonly status: ToolStatus;
  readonly status_reason: string;
}

/** The same limit as that of alerts. */
const limit = 0.05;
const minCount = 2;

const statusWith = (status: ToolStatus, status_reason: string): Status => ({ status, status_reason });

export function statusOf({ counts, circuit, mode, retryAfterMs, heldMs, isDegraded }: StatusFacts): Status {
  const failure = failureShare(counts);
  if (circuit === 'open' && mode !== 'shadow') return statusWith('failing', describeOpen(mode, retryAfterMs));
  if (circuit === 'half_open' && mode !== 'shadow')
    return statusWith('recovering', 'Its circuit is half-open: a probe tests whether the tool has recovered.');
  if (failure.part >= minCount && failure.low > limit)
    return statusWith('failing', `${shareOfCalls(failure.part, failure.whole)} failed in the last 5 minutes.`);
  if (heldMs !== undefined) return statusWith('degraded', `Held by its server's Retry-After for another ${seconds(heldMs)}.`);
  if (isDegraded) return statusWith('degraded', 'Its upstream does not answer.');
  const recovered = shareOf(counts.recovered, failure.whole);
  if (recovered.part >= minCount && recovered.low > limit)
    return statusWith(
      'degraded',
      `${shareOfCalls(recovered.part, recovered.whole)} needed a retry, an alternative or a default in the last 5 minutes.`,
    );
  const { calls } = toCallCounts(counts);
  if (calls === 0) {
    if (counts.attempts === 0) return statusWith('idle', 'No calls in the last 5 minutes.');
    return statusWith('ok', `${amount(counts.attempts, 'attempt')} in the last 5 minutes, for calls of other tools or still running.`);
  }
  if (failure.part > 0)
    return statusWith('ok', `${shareOfCalls(failure.part, failure.whole)} failed in the last 5 minutes: too few to be significant.`);
  if (failure.whole === 0) return statusWith('ok', `${amount(calls, 'call')} in the last 5 minutes; none ran to completion.`);
  if (recovered.part > 0)
    return statusWith('ok', `All ${amount(failure.whole, 'call')} of the last 5 minutes succeeded, ${recovered.part} after recovery.`);
  return statusWith(
    'ok',
    failure.whole === 1 ? 'The call of the last 5 minutes succeeded.' : `All ${failure.whole} calls of the last 5 minutes succeeded.`,
  );
}

function describeOpen(mode: CircuitMode, retryAfterMs: number | undefined): string {
  if (mode === 'forced_open') return 'Its circuit was opened manually: every call is refused.';
  if (retryAfterMs === undefined) return 'Its circuit is open: calls are refused until it is reset.';
  return `Its circuit is open: calls are refused for another ${seconds(retryAfterMs)}.`;
}

const seconds = (milliseconds: number): string => `${Math.ceil(milliseconds / 1_000)} s`;
const amount = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;
const shareOfCalls = (part: number, whole: number): string => `${part} of ${amount(whole, 'call')}`;
