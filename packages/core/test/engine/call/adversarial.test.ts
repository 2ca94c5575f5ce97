/** The call machine under a driver that mixes inputs, numbers and times arbitrarily. The invariants of `call/machine.ts` hold. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFinished } from '../../../src/engine/call/machine.ts';
import type { CallInput } from '../../../src/engine/call/protocol.ts';
import type { DecisionAction } from '../../../src/engine/recover/decision.ts';
import type { ToolPolicy } from '../../../src/engine/settings/settings.ts';
import { benchIn } from '../../support/bench-in-phase.ts';
import { CallBench } from '../../support/call-bench.ts';
import { inputsWith } from '../../support/decision-inputs.ts';
import { cancelFault, permanentFault, transientFault } from '../../support/faults.ts';
import { when } from '../../support/when.ts';

const hedging: ToolPolicy = { effect: 'read', hedge: { afterMs: 20, maxHedges: 2 }, acceptPartial: true, alternatives: ['backup'] };

function hedged(): CallBench {
  const bench = new CallBench({ tools: { search: hedging, backup: {} } }).submit().prepared();
  bench.permit({ hedgeAfterMs: 20 });
  bench.fire('hedge', 1);
  return bench;
}

/** Every phase, and its different states. */
const places: Readonly<Record<string, () => CallBench>> = {
  new: () => new CallBench(),
  preparing: () => benchIn('preparing'),
  admitting: () => benchIn('admitting'),
  waiting: () => benchIn('waiting'),
  running: () => benchIn('running'),
  assessing: () => benchIn('assessing'),
  consulting: () => benchIn('consulting'),
  'backing off': () => benchIn('backing_off'),
  settled: () => benchIn('settled'),
  'requesting a hedge': hedged,
  'two concurrent attempts': () => {
    const bench = hedged();
    bench.permit({ hedgeAfterMs: 20 });
    return bench;
  },
  'with orphaned work': () => {
    const bench = hedged();
    bench.permit();
    return bench.fire('attempt', 1);
  },
  'timed out, assessing': () => benchIn('running').fire('attempt', 1),
  'settled, work orphaned': () => {
    const bench = benchIn('running').fire('attempt', 1);
    bench.feed({ type: 'cancelled', fault: cancelFault() });
    return bench;
  },
  'settled, work still running': () => {
    const bench = benchIn('running');
    bench.feed({ type: 'deadline_reached', onDeadline: 'detach', timeoutMs: 1_000 });
    return bench;
  },
};

/** As a driver does: a timer that fires is no longer set. */
function feed(bench: CallBench, input: CallInput): void {
  if (input.type === 'timer_fired') bench.ledger.timers.delete(`${input.timer} ${input.attempt}`);
  bench.feed(input);
}

const decided = (action: string, more: { readonly alternative?: string } = {}): CallInput => ({
  type: 'decided',
  answer: {
    inputs: inputsWith(),
    decision: { action: action as DecisionAction, reason: 'given', guards: [], ...(action === 'retry' ? { delayMs: 5 } : {}), ...more },
    decidedBy: 'handler',
  },
});

const stale = (request: number): { readonly request: { readonly request: number; readonly toolName: string } } => ({
  request: { request, toolName: 'search' },
});

const strange = [0, -1, 2, 99, Number.NaN] as const;

const inputs: Readonly<Record<string, (bench: CallBench) => void>> = {
  submitted: (bench) => feed(bench, { type: 'submitted' }),
  prepared: (bench) => feed(bench, { type: 'prepared' }),
  rejected: (bench) => feed(bench, { type: 'prepared', fault: permanentFault() }),
  permit: (bench) => void bench.permit(bench.state.target.settings.hedge ? { hedgeAfterMs: 20 } : {}),
  'probe permit': (bench) => void bench.permit({ permit: { probe: true }, circuit: 'half_open' }),
  wait: (bench) => void bench.wait(),
  'refused permanently': (bench) => void bench.refuse('CIRCUIT_OPEN', 30_000, 'open'),
  'refused for a while': (bench) => void bench.refuse('RATE_LIMITED', 100),
  'refused with an invalid wait': (bench) => void bench.refuse('RATE_LIMITED', Number.NaN),
  'refused with an infinite wait': (bench) => void bench.refuse('BULKHEAD_FULL', Number.POSITIVE_INFINITY),
  'success of 1': (bench) => feed(bench, { type: 'attempt_settled', attempt: 1, outcome: { ok: true, output: 1 } }),
  'failure of 1': (bench) => feed(bench, { type: 'attempt_settled', attempt: 1, outcome: { ok: false, fault: transientFault() } }),
  'error of 1': (bench) => feed(bench, { type: 'attempt_settled', attempt: 1, outcome: { ok: false, fault: permanentFault() } }),
  'success of 2': (bench) => feed(bench, { type: 'attempt_settled', attempt: 2, outcome: { ok: true, output: 2 } }),
  'failure of 2': (bench) => feed(bench, { type: 'attempt_settled', attempt: 2, outcome: { ok: false, fault: transientFault() } }),
  progress: (bench) => feed(bench, { type: 'progress_reported', attempt: 1, progress: { progress: Number.NaN } }),
  partial: (bench) => feed(bench, { type: 'partial_reported', attempt: 1, output: undefined }),
  assessed: (bench) => feed(bench, { type: 'assessed', assessment: { circuit: 'closed', alternatives: [] } }),
  'assessed, with invalid numbers': (bench) =>
    feed(bench, {
      type: 'assessed',
      assessment: {
        circuit: 'open',
        retryAfterMs: Number.NaN,
        retryBudgetLeft: -1,
        alternatives: ['search', 'backup', 'nowhere'].map((toolName) => ({ toolName, circuit: 'closed', available: true })),
      },
    }),
  ...Object.fromEntries(
    ['retry', 'accept_partial', 'use_default', 'skip', 'escalate', 'fail'].map((action) => [
      `decided: ${action}`,
      (bench: CallBench) => feed(bench, decided(action)),
    ]),
  ),
  'decided: the alternative': (bench) => feed(bench, decided('use_alternative', { alternative: 'backup' })),
  'decided: an unknown action': (bench) => feed(bench, decided('dance')),
  'decided: no alternative': (bench) => feed(bench, decided('use_alternative')),
  cancelled: (bench) => feed(bench, { type: 'cancelled', fault: cancelFault() }),
  'deadline, detach': (bench) => feed(bench, { type: 'deadline_reached', onDeadline: 'detach', timeoutMs: null }),
  'deadline, abort': (bench) => feed(bench, { type: 'deadline_reached', onDeadline: 'abort', timeoutMs: 0 }),
  ...Object.fromEntries(
    (['attempt', 'idle', 'backoff', 'abandon', 'hedge'] as const).flatMap((timer) =>
      [1, 2].map((attempt) => [`${timer} timer ${attempt}`, (bench: CallBench) => feed(bench, { type: 'timer_fired', timer, attempt })]),
    ),
  ),
};

/** Inputs that refer to no attempt, request or timer of the call. */
const pointless: Readonly<Record<string, (bench: CallBench, number: number) => void>> = {
  permit: (bench, number) => void bench.permit(stale(number + 0.5)),
  ticket: (bench, number) => void bench.wait(stale(number + 0.5).request),
  refusal: (bench, number) => void bench.refuse('CIRCUIT_OPEN', 5, 'open', stale(number + 0.5).request),
  result: (bench, number) => feed(bench, { type: 'attempt_settled', attempt: number + 0.5, outcome: { ok: true, output: 1 } }),
  progress: (bench, number) => feed(bench, { type: 'progress_reported', attempt: number + 0.5, progress: {} }),
  partial: (bench, number) => feed(bench, { type: 'partial_reported', attempt: number + 0.5, output: 1 }),
  ...Object.fromEntries(
    (['attempt', 'idle', 'backoff', 'abandon', 'hedge'] as const).map((timer) => [
      `${timer} timer`,
      (bench: CallBench, number: number) => feed(bench, { type: 'timer_fired', timer, attempt: number + 0.5 }),
    ]),
  ),
};

/** What the ledger does not check: exactly the timers of the waiting parts are set (invariant 4). */
function expectTimersOf({ state, ledger }: CallBench): void {
  const expected = state.live.map(({ number, orphaned }) => `${orphaned ? 'abandon' : 'attempt'} ${number}`);
  if (state.phase === 'backing_off') expected.push(`backoff ${state.attempts + 1}`);
  const set = [...ledger.timers.keys()].filter((key) => !key.startsWith('hedge') || state.phase === 'settled');
  if (set.toSorted().join() !== expected.toSorted().join())
    throw new Error(`${state.phase}: timers set: ${set.join(', ')}; expected: ${expected.join(', ')}`);
  if ((state.phase === 'settled') !== (ledger.result !== undefined)) throw new Error(`${state.phase}, and the result says otherwise`);
  if (ledger.started.size !== state.attempts) throw new Error(`${ledger.started.size} attempts started, ${state.attempts} counted`);
}

/** Ends all running work, answers all requests, and checks the ledger. */
function windUp(bench: CallBench): void {
  bench.feed({ type: 'cancelled', fault: cancelFault() });
  bench.permit();
  for (const { number } of bench.state.live) {
    if (number % 2 === 0) bench.end(number, { ok: true, output: 'late' });
    else feed(bench, { type: 'timer_fired', timer: bench.ledger.timers.has(`abandon ${number}`) ? 'abandon' : 'attempt', attempt: number });
  }
  for (const { number } of bench.state.live) feed(bench, { type: 'timer_fired', timer: 'abandon', attempt: number });
  expect(isFinished(bench.state)).toBe(true);
  bench.ledger.closeBooks('attempt');
}

describe('every input in every state', () => {
  it.each(Object.keys(places))('%s: any one, then any other (including the same), then the end', (place) => {
    for (const [first, one] of Object.entries(inputs))
      for (const [second, other] of Object.entries(inputs)) {
        const bench = (places[place] as () => CallBench)();
        try {
          one(bench);
          expectTimersOf(bench);
          other(bench);
          expectTimersOf(bench);
          windUp(bench);
        } catch (error) {
          throw new Error(`${place}, ${first}, ${second}`, { cause: error });
        }
      }
  });

  it.each(Object.keys(places))('%s: an unrelated input returns what it holds, and changes nothing', (place) => {
    for (const bring of Object.values(pointless))
      for (const number of strange) {
        const bench = (places[place] as () => CallBench)();
        const before = JSON.stringify(bench.state);
        bring(bench, number);
        expect(JSON.stringify(bench.state)).toBe(before);
        expect(['return_permit', 'cancel_wait', undefined]).toContain(bench.last[0]?.type);
        expect(bench.ledger.tickets.size).toBe(place === 'waiting' ? 1 : 0);
        windUp(bench);
      }
  });
});

it('a decision with an unknown action settles the call', () => {
  const bench = benchIn('consulting');
  feed(bench, decided('dance'));
  expect(bench.result).toMatchObject({ status: 'error', error: { code: 'SERVICE_UNAVAILABLE' } });
  windUp(bench);
});

describe('unusual clocks', () => {
  const jump = fc.constantFrom(0, 1, -1, -3_600_000, 3_600_000, 1e300, -1e300, Number.MAX_SAFE_INTEGER);
  const names = Object.keys(inputs);

  it('may run backwards or jump: every timer, permit and request is still completed', { timeout: 60_000 }, () => {
    const step = fc.record({ input: fc.constantFrom(...names), jump });
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(places)), fc.array(step, { maxLength: 25, size: 'max' }), (place, steps) => {
        const bench = (places[place] as () => CallBench)();
        for (const { input, jump: by } of steps) {
          bench.pass(by);
          (inputs[input] as (bench: CallBench) => void)(bench);
          expectTimersOf(bench);
        }
        windUp(bench);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([-3_600_000, -1e300])('a jump of %d ms during a failure does not start an endless retry clock', (by) => {
    const bench = new CallBench().submit().prepared();
    bench.permit();
    for (let attempt = 1; bench.result === undefined; attempt += 1) {
      bench.pass(by).end(attempt, { ok: false, fault: transientFault() }).assess().decide();
      if (bench.state.phase === 'backing_off') bench.fire('backoff', attempt + 1).permit();
    }
    expect(bench.result).toMatchObject({ attempts: 5, error: { stoppedBy: 'attempts' } });
  });
});

describe('large numbers', () => {
  it('two thousand concurrent attempts are all aborted, and all end', () => {
    const many: ToolPolicy = { effect: 'read', hedge: { afterMs: 1, maxHedges: 1_999 }, retry: { maxAttempts: 1e6 } };
    const bench = new CallBench({ tools: { search: many } }).submit().prepared();
    bench.permit({ hedgeAfterMs: 1 });
    for (let attempt = 1; attempt < 2_000; attempt += 1) {
      bench.fire('hedge', attempt);
      bench.permit({ hedgeAfterMs: 1 });
    }
    expect(bench.ledger.timers.has('hedge 2000')).toBe(false);
    bench.end(1_000, { ok: true, output: 'first' });
    expect(bench.last.filter(({ type }) => type === 'abort_attempt')).toHaveLength(1_999);
    windUp(bench);
    expect(bench.result).toMatchObject({ status: 'success', output: 'first', attempts: 2_000 });
  });

  const limits = fc.record({
    timeoutMs: fc.constantFrom(Number.MIN_VALUE, 1, 1e300, Number.POSITIVE_INFINITY),
    abandonMs: fc.constantFrom(0, 1e300, Number.POSITIVE_INFINITY),
    retry: fc.record({
      maxAttempts: fc.constantFrom(1, 2, Number.MAX_SAFE_INTEGER),
      maxTotalTimeMs: fc.constantFrom(0, 1, Number.POSITIVE_INFINITY),
      initialDelayMs: fc.constantFrom(0, Number.MIN_VALUE, 1e300),
      maxDelayMs: fc.constantFrom(0, Number.POSITIVE_INFINITY),
      multiplier: fc.constantFrom(1, 1e300),
      jitter: fc.constantFrom('none', 'full', 'decorrelated'),
    }),
  });

  it('NaN and Infinity: no timer without a valid time, no retry past a limit', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(limits, fc.constantFrom(null, 0, 1, 1e9), fc.constantFrom(undefined, -1e9, 1_000, 1e300), (policy, left, deadlineAt) => {
        const bench = new CallBench({ tools: { search: policy }, spec: { allowance: { left }, deadlineAt } }).start();
        for (let attempt = 1; attempt < 12 && bench.result === undefined; attempt += 1) {
          if (attempt % 3 === 0) feed(bench, { type: 'timer_fired', timer: 'attempt', attempt });
          else bench.end(attempt, { ok: false, fault: transientFault() });
          bench.assess().decide();
          if (bench.state.phase === 'backing_off') bench.fire('backoff', attempt + 1).permit();
        }
        const { maxAttempts, maxTotalTimeMs } = policy.retry;
        expect(bench.state.attempts).toBeLessThanOrEqual(Math.min(maxAttempts, 1 + (left ?? 1e9), maxTotalTimeMs === 0 ? 1 : 1e9));
        when(deadlineAt !== undefined && deadlineAt <= 1_000, () => expect(bench.state.attempts).toBe(1));
        windUp(bench);
      }),
      { numRuns: 2_000 },
    );
  });
});
