import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { connectionLost, type ProtectedJob } from '../src/contenders/contender.ts';
import { contenders } from '../src/contenders/index.ts';

const open: ProtectedJob[] = [];
const entered = (job: ProtectedJob): ProtectedJob => {
  open.push(job);
  return job;
};
afterEach(async () => {
  for (const job of open.splice(0)) await job.close?.();
});

describe.each(contenders)('$name', (contender) => {
  const { protect, outputOf = (answer: unknown) => answer } = contender;

  test('returns the answer of the work, and runs it once per call', async () => {
    let runs = 0;
    const { call } = entered(protect({ run: async () => (runs += 1) }));
    expect([outputOf(await call()), outputOf(await call())]).toEqual([1, 2]);
  });

  test('passes checked arguments', async () => {
    const input = z.object({ city: z.string().transform((city) => city.toUpperCase()) });
    const { call } = entered(protect({ run: async (args) => args, input, arguments: { city: 'oslo' } }));
    expect(outputOf(await call())).toEqual({ city: 'OSLO' });
  });
});

describe.each(contenders.filter(({ retries }) => retries))('$name', ({ protect, outputOf = (answer) => answer }) => {
  test('retries a failure at once, a hundred times in a row', async () => {
    let runs = 0;
    const run = async (): Promise<number> => {
      runs += 1;
      if (runs % 2 === 1) throw connectionLost();
      return runs;
    };
    const { call } = entered(protect({ run, retriesAtOnce: 1 }));
    for (let calls = 1; calls <= 100; calls += 1) expect(outputOf(await call())).toBe(2 * calls);
  });
});

describe.each(contenders.filter(({ open: opens }) => opens !== undefined))('$name', ({ open: opens, isRefusal }) => {
  test('refuses under an open circuit, and does not run the work', async () => {
    const job = await opens?.();
    if (!job) throw new Error('This contender has no circuit breaker.');
    entered(job);
    const answer: unknown = await job.call().catch((error: unknown) => error);
    expect(isRefusal?.(answer)).toBe(true);
  });
});
