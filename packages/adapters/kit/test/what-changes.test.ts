/** What the pages of the adapters say under "What changes": which calls are repeated, when, and for how long. */
import { Reliable } from '@holdfast/adapter-kit';
import type { ReliableOptions } from '@holdfast/adapter-kit';
import type { Effect } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, it } from 'vitest';

interface Seen {
  /** When each attempt started, from the start of the call. */
  readonly starts: readonly number[];
  readonly endedAt: number;
  readonly text: string;
  readonly circuit: string | undefined;
}

const failure = (fields: object): Error => Object.assign(new Error('failed'), fields);
const unavailable = failure({ status: 503 });
const effects: readonly (Effect | undefined)[] = ['read', 'idempotent', 'unsafe', undefined];

interface Scene {
  readonly options?: ReliableOptions;
  /** How long an attempt takes. */
  readonly attemptMs?: number;
  /** Successful calls before, with which the tool has earned repetitions. */
  readonly successes?: number;
  readonly calls?: number;
}

/** Calls a tool whose attempts fail after some time, or never end where there is no error. */
async function callOf(error: Error | undefined, { options = {}, attemptMs = 10, successes = 0, calls = 1 }: Scene = {}): Promise<Seen> {
  const system = manualSystem();
  const starts: number[] = [];
  let succeeds = true;
  const run = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      starts.push(system.now());
      if (succeeds) system.setTimer(attemptMs, () => resolve('paid'));
      else if (error) system.setTimer(attemptMs, () => reject(error));
    });
  const reliable = new Reliable([{ name: 'pay', run }], { system, seed: 'what changes', ...options });
  const call = async (n: number): Promise<string> => {
    const answers = await system.until(reliable.startRun().answer([{ toolName: 'pay', callId: `c${n}`, arguments: { n } }]));
    return answers[0]?.text ?? '';
  };
  for (let n = 0; n < successes; n++) {
    await call(n);
    await system.advance(100);
  }
  succeeds = false;
  starts.length = 0;
  const from = system.now();
  let text = '';
  for (let n = 0; n < calls; n++) text = await call(successes + n);
  const circuit = reliable.service.getToolHealth('pay')?.circuit;
  return { starts: starts.map((at) => at - from), endedAt: system.now() - from, text, circuit };
}

const attemptsOf = async (error: Error | undefined, effect: Effect | undefined, timeoutMs?: number): Promise<number> =>
  (await callOf(error, { options: { tools: { pay: { effect, timeoutMs, hedge: false } } }, successes: 50 })).starts.length;

describe('a failure', () => {
  it.each([{ code: 'ECONNREFUSED' }, { status: 429 }, { status: 503 }])(
    'that proves that the call was not carried out is repeated whatever the tool does: %o',
    async (fields) => {
      for (const effect of effects) expect(await attemptsOf(failure(fields), effect)).toBeGreaterThan(1);
    },
  );

  it.each([
    ['a lost connection', failure({ code: 'ECONNRESET' })] as const,
    ['status 500', failure({ status: 500 })] as const,
    ['a timeout', undefined] as const,
  ])('after which the call may have taken effect is repeated only if read or idempotent is declared: %s', async (_what, error) => {
    const attempts = await Promise.all(effects.map((effect) => attemptsOf(error, effect, error ? undefined : 1_000)));
    expect(attempts.map((count) => count > 1)).toEqual([true, true, false, false]);
  });

  it('that says nothing about its cause is tried once more only if read or idempotent is declared, and no circuit counts it', async () => {
    const error = new Error('Seat 12A is taken');
    expect(await Promise.all(effects.map((effect) => attemptsOf(error, effect)))).toEqual([2, 2, 1, 1]);
    expect((await callOf(error)).text).toContain('Seat 12A is taken');
    expect((await callOf(unavailable, { calls: 20 })).circuit).not.toBe('closed');
    for (const effect of effects)
      expect((await callOf(error, { options: { tools: { pay: { effect } } }, calls: 20 })).circuit).toBe('closed');
  });
});

describe('a call', () => {
  it('has eight attempts at most', async () => {
    const { starts } = await callOf(unavailable, { options: { policy: { waitForRecovery: false } } });
    expect(starts).toHaveLength(8);
    expect((await callOf(unavailable)).starts.length).toBeLessThanOrEqual(8);
  });

  it('waits until ten seconds after it began, and its first repetition starts after a fraction of a second', async () => {
    const { starts, endedAt } = await callOf(unavailable);
    expect(endedAt).toBe(10_000);
    expect((starts[1] ?? Infinity) - 10).toBeLessThan(1_000);
  });

  it('whose attempt fails later may still be repeated, up to a minute after the first failure', async () => {
    expect((await callOf(unavailable, { attemptMs: 12_000 })).starts.length).toBeGreaterThan(1);
    const { starts } = await callOf(unavailable, { options: { policy: { waitForRecovery: false } }, attemptMs: 25_000 });
    expect(starts).toHaveLength(4);
    expect((starts.at(-1) ?? Infinity) - 25_000).toBeLessThan(60_000);
  });
});
