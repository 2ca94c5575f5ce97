import type { Behaviour } from '../port.ts';
import { best, control, hang, wait, settledWithin } from '../situation.ts';

const timeout = { part: 'timeout', ms: 40 } as const;
const bulkhead = { part: 'bulkhead', limit: 2, queue: 20, untilSettled: true } as const;

export const b09: Behaviour = {
  id: 'B9',
  title: 'Work that ignored its timeout still occupies its slot',
  needs: ['bulkhead', 'timeout'],
  done: 'Limit 2, timeout 40 ms, work that never stops. Ten rounds of two calls, 100 ms apart.',
  expected: 'The first calls are answered at their timeout, and never more than 2 tasks are alive.',
  observe: (contender, notes) =>
    best(
      notes,
      [
        { how: 'timeout inside the bulkhead', parts: [bulkhead, timeout] },
        { how: 'timeout around the bulkhead', parts: [timeout, bulkhead] },
      ],
      async (parts) => {
        const guarded = await contender.build(parts);
        let alive = 0;
        const work = (): Promise<never> => {
          alive += 1;
          return hang();
        };
        for (let round = 0; round < 10; round++) {
          const calls = [guarded.call(work), guarded.call(work)];
          if (round === 0) control((await settledWithin(1_000, Promise.all(calls))) !== undefined, 'a timeout answers the call');
          await wait(100);
        }
        return { ok: alive <= 2, seen: `${alive} alive at once` };
      },
    ),
};
