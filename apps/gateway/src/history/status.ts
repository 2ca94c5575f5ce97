/** Owns the status of a tool and its reason as a sentence. */
import type { CellCounts } from '@holdfast/core/history';
import { shareOf } from '@holdfast/core/internal';
import type { AlertItem, CircuitMode, CircuitState, Share, ToolStatus } from '../contract.ts';
import { failureShare, toCallCounts } from './describe-counts.ts';

export interface StatusFacts {
  readonly counts: CellCounts;
  /** `null` without a circuit breaker. */
  readonly circuit: CircuitState | null;
  readonly mode: CircuitMode;
  readonly retryAfterMs: number | undefined;
  readonly heldMs: number | undefined;
  readonly isDegraded: boolean;
  /** Clients of an isolated server whose own circuit is not closed. @default none */
  readonly clients?: readonly string[];
  /** Alerts about the tool that fire. */
  readonly alerts: readonly FiringAlert[];
  /** The share of failed calls above which the alert rules call a tool failing. */
  readonly failureLimit: number;
}

/** What a status needs to know about an alert: a tool for which one fires is not `ok`. */
type FiringAlert = Pick<AlertItem, 'name' | 'summary' | 'value' | 'limit'>;

interface Status {
  readonly status: ToolStatus;
  readonly status_reason: string;
}

const minCount = 2;

const statusWith = (status: ToolStatus, status_reason: string): Status => ({ status, status_reason });

/** `failing`: agents lose calls, or would. `degraded`: something is wrong with the tool, but its callers have their answers. */
export function statusOf(facts: StatusFacts): Status {
  const { counts, circuit, mode, heldMs, isDegraded, clients = [] } = facts;
  const failure = failureShare(counts);
  const guarded = mode === 'shadow' || mode === 'disabled' ? null : circuit;
  if (guarded === 'half_open') return statusWith('recovering', 'Its circuit is half-open: a probe tests whether the tool has recovered.');
  if (guarded === 'open') return openStatus(facts, failure);
  const failing = failingReason(facts, failure);
  if (failing !== undefined) return statusWith('failing', failing);
  if (clients.length > 0)
    return statusWith('degraded', `Its circuit is open for ${amount(clients.length, 'client')} only: ${named(clients)}.`);
  if (heldMs !== undefined) return statusWith('degraded', `Held by its server's Retry-After for another ${seconds(heldMs)}.`);
  if (isDegraded) return statusWith('degraded', 'Its upstream does not answer.');
  const alert = facts.alerts.find(({ name }) => name !== 'CircuitOpen');
  if (alert) return statusWith('degraded', `${alert.summary}: ${alert.value}, the limit is ${alert.limit}.`);
  const recovered = shareOf(counts.recovered, failure.whole);
  if (recovered.part >= minCount && recovered.low > facts.failureLimit)
    return statusWith(
      'degraded',
      `${shareOfCalls(recovered.part, recovered.whole)} needed a retry, an alternative or a default in the last 5 minutes.`,
    );
  return calmStatus(counts, failure, recovered);
}

/** The calls of an open circuit may all be answered by an alternative or a default. */
function openStatus({ counts, mode, retryAfterMs }: StatusFacts, failure: Share): Status {
  const reason = describeOpen(mode, retryAfterMs);
  if (failure.part > 0 || counts.recovered === 0) return statusWith('failing', reason);
  return statusWith(
    'degraded',
    `${reason} No call was lost: ${amount(counts.recovered, 'call')} got an alternative, a default or a retry.`,
  );
}

function failingReason({ alerts, failureLimit }: StatusFacts, failure: Share): string | undefined {
  if (failure.part >= minCount && failure.low > failureLimit)
    return `${shareOfCalls(failure.part, failure.whole)} failed in the last 5 minutes.`;
  const alert = alerts.find(({ name }) => name === 'ToolFailureRateHigh' || name === 'ToolDown');
  return alert && `${alert.summary}: ${alert.value}, the limit is ${alert.limit}.`;
}

function calmStatus(counts: CellCounts, failure: Share, recovered: Share): Status {
  const { calls } = toCallCounts(counts);
  if (calls === 0) {
    if (counts.served > 0) return statusWith('ok', `It answered ${amount(counts.served, 'call')} of other tools in the last 5 minutes.`);
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

const maxNamed = 3;
const named = (clients: readonly string[]): string =>
  `${clients.slice(0, maxNamed).join(', ')}${clients.length > maxNamed ? ' and others' : ''}`;

const seconds = (milliseconds: number): string => `${Math.ceil(milliseconds / 1_000)} s`;
const amount = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;
const shareOfCalls = (part: number, whole: number): string => `${part} of ${amount(whole, 'call')}`;
