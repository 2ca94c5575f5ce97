import type { Behaviour } from '../port.ts';
import { best, control, succeed, hang, wait, settledWithin } from '../situation.ts';

const bulkhead = { part: 'bulkhead', limit: 1, queue: 1 } as const;
const timeout = { part: 'timeout', ms: 60_000 } as const;

export const b04: Behaviour = {
  id: 'B4',
  title: 'Aborting any waiter frees it at once',
  needs: ['bulkhead', 'signal'],
  done: 'One call hung in the only slot of a bulkhead, a second waited in the only place of its queue. Aborted the second, then made a third call.',
  expected: 'The aborted caller is answered at once, and its place is free for the third.',
  observe: (contender, notes) =>
    best(
      notes,
      [
        { how: 'bulkhead alone', parts: [bulkhead] },
        { how: 'with a timeout around the bulkhead', parts: [timeout, bulkhead] },
      ],
      async (parts) => {
        const guarded = await contender.build(parts);
        void guarded.call(hang);
        await wait(20);
        const controller = new AbortController();
        let ran = false;
        const waiter = guarded.call(
          async () => {
            ran = true;
            return succeed();
          },
          { signal: controller.signal },
        );
        control((await settledWithin(50, waiter)) === undefined && !ran, 'the second call waits');
        controller.abort(new Error('caller left'));
        const answer = await settledWithin(300, waiter);
        if (answer === undefined) return { ok: false, seen: 'the aborted caller still waited after 300 ms' };
        const third = await settledWithin(200, guarded.call(succeed));
        if (third?.kind === 'refused')
          return { ok: false, seen: 'the aborted caller was answered, its place stayed taken: the third call was refused' };
        return { ok: true, seen: 'the aborted caller was answered and its place was free' };
      },
    ),
};
