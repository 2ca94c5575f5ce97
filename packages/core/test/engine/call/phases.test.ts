import { describe, expect, it } from 'vitest';
import type { CallInput } from '../../../src/engine/call/protocol.ts';
import type { CallPhase } from '../../../src/engine/call/state.ts';
import { benchIn } from '../../support/bench-in-phase.ts';
import type { CallBench, Request } from '../../support/call-bench.ts';
import { newPermit } from '../../support/call-bench.ts';
import { cancelFault } from '../../support/faults.ts';

const asked = ({ request, toolName }: Request): Request => ({ request, toolName });

const phases: readonly CallPhase[] = ['preparing', 'admitting', 'waiting', 'running', 'assessing', 'consulting', 'backing_off', 'settled'];

const inputs: Readonly<Record<string, { readonly input: (bench: CallBench) => CallInput; readonly expectedIn: readonly CallPhase[] }>> = {
  prepared: { input: () => ({ type: 'prepared' }), expectedIn: ['preparing'] },
  assessed: { input: () => ({ type: 'assessed', assessment: { circuit: 'closed', alternatives: [] } }), expectedIn: ['assessing'] },
  'result of a running attempt': {
    input: () => ({ type: 'attempt_settled', attempt: 1, outcome: { ok: true, output: 1 } }),
    expectedIn: ['running'],
  },
  'result of an unknown attempt': {
    input: () => ({ type: 'attempt_settled', attempt: 9, outcome: { ok: true, output: 1 } }),
    expectedIn: [],
  },
  'attempt timer': { input: () => ({ type: 'timer_fired', timer: 'attempt', attempt: 1 }), expectedIn: ['running'] },
  'attempt timer of an unknown attempt': { input: () => ({ type: 'timer_fired', timer: 'attempt', attempt: 9 }), expectedIn: [] },
  'hedge timer without hedging': { input: () => ({ type: 'timer_fired', timer: 'hedge', attempt: 1 }), expectedIn: [] },
  'abandon timer without orphaned work': { input: () => ({ type: 'timer_fired', timer: 'abandon', attempt: 1 }), expectedIn: [] },
  'backoff timer': { input: () => ({ type: 'timer_fired', timer: 'backoff', attempt: 2 }), expectedIn: ['backing_off'] },
  progress: { input: () => ({ type: 'progress_reported', attempt: 1, progress: {} }), expectedIn: ['running'] },
  partial: { input: () => ({ type: 'partial_reported', attempt: 1, output: 1 }), expectedIn: ['running'] },
  cancelled: { input: () => ({ type: 'cancelled', fault: cancelFault() }), expectedIn: phases.filter((phase) => phase !== 'settled') },
  deadline: {
    input: () => ({ type: 'deadline_reached', onDeadline: 'abort', timeoutMs: 1_000 }),
    expectedIn: phases.filter((phase) => phase !== 'settled'),
  },
  refusal: {
    input: ({ request }) => ({
      type: 'admission',
      ...asked(request),
      answer: { kind: 'refused', refusal: { code: 'CIRCUIT_OPEN' } },
      circuit: 'open',
    }),
    expectedIn: ['admitting', 'waiting'],
  },
  'refusal of another request': {
    input: () => ({
      type: 'admission',
      request: 9,
      toolName: 'search',
      answer: { kind: 'refused', refusal: { code: 'CIRCUIT_OPEN' } },
      circuit: 'open',
    }),
    expectedIn: [],
  },
};

describe('every input in every phase', () => {
  const table = phases.flatMap((phase) =>
    Object.entries(inputs).map(([name, { input, expectedIn }]) => ({ phase, name, input, isExpected: expectedIn.includes(phase) })),
  );

  it.each(table)('$phase: $name', ({ phase, name, input, isExpected }) => {
    const bench = benchIn(phase);
    expect(bench.state.phase).toBe(phase);
    const before = JSON.stringify(bench.state);
    const effects = bench.feed(input(bench));
    expect(effects.length > 0).toBe(isExpected);
    expect(JSON.stringify(bench.state) === before).toBe(!isExpected || name === 'progress');
  });

  it.each(phases)('%s: an unrequested permit is returned', (phase) => {
    if (phase === 'admitting' || phase === 'waiting') return;
    const bench = benchIn(phase);
    const permit = newPermit();
    bench.ledger.give(permit, 'search');
    expect(bench.feed({ type: 'admission', ...asked(bench.request), answer: { kind: 'permit', permit }, circuit: 'closed' })).toEqual([
      { type: 'return_permit', toolName: 'search', permit },
    ]);
    expect(bench.state.phase).toBe(phase);
  });

  it.each(phases)('%s: an unrequested ticket is returned', (phase) => {
    if (phase === 'admitting' || phase === 'waiting') return;
    const bench = benchIn(phase);
    bench.ledger.tickets.set(7, 'search');
    expect(bench.feed({ type: 'admission', ...asked(bench.request), answer: { kind: 'wait', ticket: 7 }, circuit: 'closed' })).toEqual([
      { type: 'cancel_wait', toolName: 'search', ticket: 7 },
    ]);
  });
});
