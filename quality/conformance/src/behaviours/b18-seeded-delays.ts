import type { Behaviour, Contender } from '../port.ts';
import { control, rejectAsDown } from '../situation.ts';

/** The delays of each call; the calls are made one after the other. */
async function delaysOf(contender: Contender, seed: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const guarded = await contender.build([{ part: 'retry', retries: 4, delayMs: 30, jitter: true }], { seed });
  let delays: number[] = [];
  guarded.onRetry((delayMs) => delays.push(delayMs));
  const found = new Map<string, string>();
  for (const id of ids) {
    delays = [];
    await guarded.call(rejectAsDown, { id });
    control(delays.length === 4, `four delays of ${id}`);
    found.set(id, delays.join());
  }
  return found;
}

export const b18: Behaviour = {
  id: 'B18',
  title: 'A seed reproduces the delays, independent of the order of calls; different calls differ',
  needs: ['retry', 'seed'],
  done: 'Two calls with four jittered delays each, under one seed, in both orders; then under another seed.',
  expected: 'Each call has the same delays in both orders, the two calls differ, and so do the seeds.',
  async observe(contender) {
    const forth = await delaysOf(contender, 'one', ['a', 'b']);
    const back = await delaysOf(contender, 'one', ['b', 'a']);
    const other = await delaysOf(contender, 'two', ['a', 'b']);
    const wrong = [
      ...(forth.get('a') === back.get('a') && forth.get('b') === back.get('b') ? [] : ['the order changed the delays']),
      ...(forth.get('a') === forth.get('b') ? ['both calls had the same delays'] : []),
      ...(forth.get('a') === other.get('a') ? ['another seed gave the same delays'] : []),
    ];
    return { ok: wrong.length === 0, seen: wrong.length === 0 ? 'same seed, same delays' : wrong.join('; ') };
  },
};
