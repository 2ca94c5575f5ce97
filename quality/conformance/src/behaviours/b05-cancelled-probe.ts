import type { Behaviour } from '../port.ts';
import { best, control, halfOpen, hangUntilAborted, openMs, wait, settledWithin } from '../situation.ts';

const breaker = { part: 'breaker', openMs } as const;

export const b05: Behaviour = {
  id: 'B5',
  title: 'The caller’s cancellation during a probe is neutral',
  needs: ['breaker', 'signal'],
  done: 'The caller aborted its call while it was the probe; the work stopped on its signal.',
  expected: 'The circuit is still half-open: the dependency has shown nothing.',
  observe: (contender, notes) =>
    best(
      notes,
      [
        { how: 'breaker alone', parts: [breaker] },
        { how: 'with a timeout inside the breaker', parts: [breaker, { part: 'timeout', ms: 60_000 }] },
      ],
      async (parts) => {
        const guarded = await halfOpen(contender, parts);
        const controller = new AbortController();
        const probe = guarded.call(hangUntilAborted, { signal: controller.signal });
        await wait(20);
        control(guarded.circuit() === 'half-open', 'the probe runs in half-open');
        controller.abort(new Error('caller left'));
        control((await settledWithin(300, probe)) !== undefined, 'the aborted call is answered');
        const circuit = guarded.circuit();
        return { ok: circuit === 'half-open', seen: `the circuit is ${circuit}` };
      },
    ),
};
