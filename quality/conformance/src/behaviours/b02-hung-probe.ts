import type { Behaviour } from '../port.ts';
import { best, succeed, halfOpen, hang, openMs, wait, settledWithin } from '../situation.ts';

const limitMs = 150;

export const b02: Behaviour = {
  id: 'B2',
  title: 'A hung probe cannot hold half-open for ever',
  needs: ['breaker'],
  done: 'Let a probe hang for ever, with the library’s own limit for probes set to 150 ms: a limit of the breaker, or a timeout inside it. Then made a call every 100 ms for 2 s.',
  expected: 'A later call reaches the dependency.',
  observe: (contender, notes) =>
    best(
      notes,
      [
        { how: 'breaker alone', parts: [{ part: 'breaker', openMs, probeMs: limitMs }] },
        {
          how: 'with a timeout inside the breaker',
          parts: [
            { part: 'breaker', openMs, probeMs: limitMs },
            { part: 'timeout', ms: limitMs },
          ],
        },
      ],
      async (parts) => {
        const guarded = await halfOpen(contender, parts);
        void guarded.call(hang);
        let reached = false;
        for (let round = 0; round < 20 && !reached; round++) {
          await wait(100);
          const later = guarded.call(async () => {
            reached = true;
            return succeed();
          });
          await settledWithin(20, later);
        }
        return { ok: reached, seen: reached ? 'a later call reached the dependency' : 'no call reached the dependency in 2 s' };
      },
    ),
};
