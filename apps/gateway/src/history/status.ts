/** Owns how a tool is in one word, and why, in a sentence. */
import type { CellCounts } from '@holdfast/core/history';
import { shareOf } from '@holdfast/core/internal';
import type { CircuitMode, CircuitState, ToolStatus } from '../contract.ts';
import { failureShare, toldCounts } from './describe-counts.ts';

export interface StatusFacts {
  readonly counts: CellCounts;
  /** As it acts on calls; `null`: none. */
  readonly circuit: CircuitState | null;
  readonly mode: CircuitMode;
  readonly retryAfterMs: number | undefined;
  readonly isDegraded: boolean;
}

interface Status {
  readonly status: ToolStatus;
  readonly status_reason: string;
}

/** As the alerts have it. */
const limit = 0.05;
const fewest = 2;

const is = (status: ToolStatus, status_reason: string): Status => ({ status, status_reason });

export function statusOf({ counts, circuit, mode, retryAfterMs, isDegraded }: StatusFacts): Status {
  const failure = failureShare(counts);
  if (circuit === 'open' && mode !== 'shadow') return is('failing', saysOpen(mode, retryAfterMs));
  if (circuit === 'half_open' && mode !== 'shadow')
    return is('recovering', 'Its circuit is half-open: one call tests whether the tool is back.');
  if (failure.part >= fewest && failure.low > limit)
    return is('failing', `${ofCalls(failure.part, failure.whole)} failed in the last 5 minutes.`);
  if (isDegraded) return is('degraded', 'Its upstream does not answer.');
  const recovered = shareOf(counts.recovered, failure.whole);
  if (recovered.part >= fewest && recovered.low > limit)
    return is('degraded', `${ofCalls(recovered.part, recovered.whole)} needed a retry, an alternative or a default in the last 5 minutes.`);
  const { calls } = toldCounts(counts);
  if (calls === 0) {
    if (counts.attempts === 0) return is('idle', 'No calls in the last 5 minutes.');
    return is('ok', `${amount(counts.attempts, 'attempt')} in the last 5 minutes, for calls of other tools or still running.`);
  }
  if (failure.part > 0) return is('ok', `${ofCalls(failure.part, failure.whole)} failed in the last 5 minutes: too few to mean anything.`);
  if (failure.whole === 0) return is('ok', `${amount(calls, 'call')} in the last 5 minutes, none of which ran to its end.`);
  if (recovered.part > 0)
    return is('ok', `All ${amount(failure.whole, 'call')} of the last 5 minutes succeeded, ${recovered.part} with help.`);
  return is(
    'ok',
    failure.whole === 1 ? 'The call of the last 5 minutes succeeded.' : `All ${failure.whole} calls of the last 5 minutes succeeded.`,
  );
}

function saysOpen(mode: CircuitMode, retryAfterMs: number | undefined): string {
  if (mode === 'forced_open') return 'Its circuit was opened by hand: every call is refused.';
  if (retryAfterMs === undefined) return 'Its circuit is open: calls are refused until somebody resets it.';
  return `Its circuit is open: calls are refused for another ${Math.ceil(retryAfterMs / 1_000)} s.`;
}

const amount = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;
const ofCalls = (part: number, whole: number): string => `${part} of ${amount(whole, 'call')}`;
