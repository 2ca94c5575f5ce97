import type { Behaviour } from '../port.ts';
import { best, control, DependencyDown, wait, settledWithin } from '../situation.ts';

const retry = { part: 'retry', retries: 3, delayMs: 1_500 } as const;

export const b11: Behaviour = {
  id: 'B11',
  title: 'An abort during backoff returns at once and the tool is not called again',
  needs: ['retry', 'signal'],
  done: 'Work that fails, delays of 1.5 s between attempts. Aborted 50 ms into the first delay.',
  expected: 'Answered within 200 ms; still one attempt two seconds later.',
  observe: (contender, notes) =>
    best(
      notes,
      [
        { how: 'retry alone', parts: [retry] },
        { how: 'with a timeout around it', parts: [{ part: 'timeout', ms: 60_000 }, retry] },
      ],
      async (parts) => {
        const guarded = await contender.build(parts);
        const controller = new AbortController();
        let attempts = 0;
        const call = guarded.call(
          async () => {
            attempts += 1;
            return Promise.reject(new DependencyDown('dependency down'));
          },
          { signal: controller.signal },
        );
        await wait(50);
        control(attempts === 1, 'the first attempt has failed');
        controller.abort(new Error('caller left'));
        const atOnce = (await settledWithin(200, call)) !== undefined;
        await wait(2_000);
        const again = attempts === 1 ? 'not called again' : 'called again after the abort';
        return { ok: atOnce && attempts === 1, seen: `${atOnce ? 'answered at once' : 'no answer within 200 ms'}, ${again}` };
      },
    ),
};
