/** Owns reading a gate, for decisions, traces and operators. Changes nothing, except that old counts expire. */
import { circuitState, heldMs, peek } from '../breaker/breaker.ts';
import type { CircuitState } from '../breaker/types.ts';
import { numbers } from './adaptive/numbers.ts';
import type { Adaptive } from './adaptive/state.ts';
import { rateRefusal } from './rate-limiter.ts';
import { retriesLeft } from './retry-budget.ts';
import type { ToolHealth } from './types.ts';
import type { Gate } from './gate-state.ts';

export function health(gate: Gate, now: number): ToolHealth {
  const time = now > gate.latest ? now : gate.latest;
  const { adaptive, breaker, bulkhead, budget } = gate;
  const retryAfterMs = retryAfter(gate, time);
  const held = heldMs(breaker, time);
  return {
    circuit: circuitState(breaker, time),
    mode: breaker.mode,
    failureCount: breaker.failureCount,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(held === undefined ? {} : { heldMs: held }),
    inFlight: bulkhead.held,
    orphaned: bulkhead.orphaned,
    queued: bulkhead.queued,
    ...(adaptive === undefined ? {} : learned(adaptive)),
    ...(budget === undefined ? {} : { retryBudgetLeft: retriesLeft(budget, time) }),
  };
}

function learned({ durations, failureShare, limit, pace }: Adaptive): Partial<ToolHealth> {
  return {
    ...(limit.limit === Infinity ? {} : { limit: Math.floor(limit.limit) }),
    ...(durations.usualMs === 0 ? {} : { latencyMs: durations.usualMs }),
    failureShare,
    retryBudgetLeft: Math.floor(pace.tokens / numbers.retryCost),
  };
}

/** The effective state of the circuit: a mode set by an operator outranks the counts. */
export function actingCircuit({ breaker, latest }: Gate, now: number): CircuitState {
  return breaker.mode === 'shadow' ? 'closed' : circuitState(breaker, now > latest ? now : latest);
}

/** The longest of the waits: circuit, hold and rate limit must all let the call through. */
function retryAfter({ breaker, limiter }: Gate, now: number): number | undefined {
  const refusal = peek(breaker, now);
  if (refusal !== undefined && refusal.retryAfterMs === undefined) return undefined;
  const longest = Math.max(refusal?.retryAfterMs ?? 0, heldMs(breaker, now) ?? 0, rateRefusal(limiter, now)?.retryAfterMs ?? 0);
  return longest === 0 ? undefined : longest;
}
