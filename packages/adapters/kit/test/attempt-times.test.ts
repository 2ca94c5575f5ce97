/** How often and until when adapters repeat a call by default, as their guides say. */
import { Reliable, type ReliableOptions } from '@holdfast/adapter-kit';
import { manualSystem } from '@holdfast/core/testing';
import { expect, it } from 'vitest';

/** The starts of a call that always fails after some time, and its end, in milliseconds after its first start. */
async function play(failure: object, durationMs: number, options: ReliableOptions = {}) {
  const system = manualSystem();
  const starts: number[] = [];
  const run = async (): Promise<never> => {
    starts.push(system.now());
    await new Promise<void>((resolve) => void system.setTimer(durationMs, resolve));
    throw Object.assign(new Error('failed'), failure);
  };
  const reliable = new Reliable([{ name: 'send', run }], { system, seed: 'test', ...options });
  const answering = reliable.answer(reliable.startRun(), [{ toolName: 'send', callId: 'c1', arguments: {} }]);
  const [answer] = await system.until(answering);
  const [first = 0] = starts;
  return { starts: starts.map((at) => at - first), endedAt: system.now() - first, text: answer?.text ?? '' };
}

const down = { status: 503 };
const withoutWaiting = { policy: { waitForRecovery: false } } as const;

it('a call has at most eight attempts', async () => {
  expect((await play(down, 0, withoutWaiting)).starts).toHaveLength(8);
  expect((await play(down, 0)).starts.length).toBeLessThanOrEqual(8);
  expect((await play(down, 0, { policy: { retry: { maxAttempts: 1 } } })).starts).toHaveLength(1);
});

it('the first repetition starts after a fraction of a second, or after the wait that the server asked for', async () => {
  expect((await play(down, 0)).starts[1]).toBeLessThan(1_000);
  const asked = { status: 429, headers: { 'retry-after': '30' } };
  expect((await play(asked, 0)).starts[1]).toBeGreaterThanOrEqual(30_000);
});

it('none starts more than a minute after the first failure', async () => {
  const { starts } = await play(down, 12_000, withoutWaiting);
  expect(starts.length).toBeLessThan(8);
  expect(starts.at(-1)).toBeGreaterThan(60_000);
  expect(starts.at(-1)).toBeLessThan(12_000 + 60_000);
  expect((await play({ status: 429, headers: { 'retry-after': '70' } }, 0)).starts).toEqual([0]);
});

it('a call waits for its tool until ten seconds after it began', async () => {
  const { endedAt, text } = await play(down, 0);
  expect(endedAt).toBe(10_000);
  expect(text).toMatch(/already waited \d.* for send to recover/);
  expect((await play(down, 0, withoutWaiting)).text).not.toContain('waited');
});
