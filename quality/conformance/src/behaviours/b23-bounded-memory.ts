import type { Behaviour, Contender, ContenderNotes } from '../port.ts';
import { control, succeed, has, wait } from '../situation.ts';

const warmUp = 10_000;
const calls = 30_000;
/** Limit of processor time: a library with slower calls makes fewer of them. */
const budgetMs = 1_000;
/** A number kept for each call would be 240 kB. */
const limitBytes = 150_000;

async function heap(): Promise<number> {
  control(globalThis.gc !== undefined, 'the process runs with --expose-gc');
  for (let round = 0; round < 3; round++) {
    await wait(5);
    globalThis.gc({ execution: 'sync', type: 'major' });
  }
  return process.memoryUsage().heapUsed;
}

async function growth(contender: Contender, notes: ContenderNotes): Promise<number> {
  const breaker = { part: 'breaker', openMs: 60_000 } as const;
  const guarded = await contender.build([has(notes, 'rate breaker') ? { part: 'rate breaker', windowMs: 10_000 } : breaker]);
  const run = async (times: number): Promise<void> => {
    const start = process.cpuUsage().user;
    for (let call = 0; call < times; call++) {
      await guarded.call(succeed);
      if (call % 100 === 0 && (process.cpuUsage().user - start) / 1_000 > budgetMs) return;
    }
  };
  await run(warmUp);
  const before = await heap();
  await run(calls);
  return (await heap()) - before;
}

export const b23: Behaviour = {
  id: 'B23',
  title: 'Memory per breaker is bounded',
  needs: ['breaker'],
  done: 'A breaker with a window of 10 s; 10,000 successful calls to warm up, then 30,000 more (fewer if they take more than 1 s of processor time); compared the heap before and after these, each after a full collection.',
  expected: 'Memory does not grow with the number of calls: less than 5 bytes for each.',
  async observe(contender, notes) {
    const ok = (await growth(contender, notes)) < limitBytes;
    return { ok, seen: ok ? 'the heap stayed flat' : 'the heap grew by more than 5 bytes per call' };
  },
};
