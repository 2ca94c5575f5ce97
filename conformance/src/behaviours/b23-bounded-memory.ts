import type { Behaviour, Contender, ContenderNotes } from '../port.ts';
import { control, fine, has, wait } from '../situation.ts';

const batch = 20_000;
/** Eight bytes for each call of a batch would be 160 kB. */
const limitBytes = 100_000;

async function heap(): Promise<number> {
  control(globalThis.gc !== undefined, 'the process runs with --expose-gc');
  for (let round = 0; round < 3; round++) {
    await wait(5);
    globalThis.gc({ execution: 'sync', type: 'major' });
  }
  return process.memoryUsage().heapUsed;
}

/** The least that any of three batches left behind: what all of them leave is no noise. */
async function leastGrowth(contender: Contender, notes: ContenderNotes): Promise<number> {
  const part = has(notes, 'rate breaker')
    ? ({ part: 'rate breaker', windowMs: 10_000 } as const)
    : ({ part: 'breaker', openMs: 60_000 } as const);
  const guarded = await contender.build([part]);
  const run = async (): Promise<void> => {
    for (let call = 0; call < batch; call++) await guarded.call(fine);
  };
  await run();
  let before = await heap();
  let least = Infinity;
  for (let round = 0; round < 3; round++) {
    await run();
    const after = await heap();
    least = Math.min(least, after - before);
    before = after;
  }
  return least;
}

export const b23: Behaviour = {
  id: 'B23',
  title: 'Memory per breaker is bounded',
  needs: ['breaker'],
  done: 'A breaker with a window of 10 s, 20,000 successful calls to warm up, then three times 20,000 more; the heap after a full collection each time.',
  expected: 'Not every batch leaves something behind that grows with the number of calls (more than 5 bytes per call).',
  async observe(contender, notes) {
    const ok = (await leastGrowth(contender, notes)) <= limitBytes;
    return { ok, seen: ok ? 'the heap stayed flat' : 'every batch left more than 5 bytes per call' };
  },
};
