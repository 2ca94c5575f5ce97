import type { Behaviour } from '../port.ts';
import { best, control, hang, wait, settledWithin } from '../situation.ts';

const retry = { part: 'retry', retries: 1, delayMs: 10 } as const;
const timeout = { part: 'timeout', ms: 60_000 } as const;

export const b12: Behaviour = {
  id: 'B12',
  title: 'An abort while an attempt hangs returns at once',
  needs: ['signal'],
  done: 'Work that hangs and ignores its signal; the caller aborted after 30 ms.',
  expected: 'Answered within 300 ms, and not attempted again.',
  observe: (contender, notes) =>
    best(
      notes,
      [
        { how: 'retry alone', parts: [retry] },
        { how: 'with a timeout inside it', parts: [retry, timeout] },
        { how: 'timeout alone', parts: [timeout] },
      ],
      async (parts) => {
        const guarded = await contender.build(parts);
        const controller = new AbortController();
        let attempts = 0;
        const call = guarded.call(
          () => {
            attempts += 1;
            return hang();
          },
          { signal: controller.signal },
        );
        await wait(30);
        control(attempts === 1, 'the attempt hangs');
        controller.abort(new Error('caller left'));
        if ((await settledWithin(300, call)) === undefined) return { ok: false, seen: 'no answer within 300 ms' };
        await wait(100);
        return { ok: attempts === 1, seen: attempts === 1 ? 'answered at once' : 'answered at once, attempted again' };
      },
    ),
};
