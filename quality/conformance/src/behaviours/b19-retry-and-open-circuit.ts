import type { Behaviour } from '../port.ts';
import { best, control, rejectAsDown } from '../situation.ts';

const retry = { part: 'retry', retries: 3, delayMs: 30 } as const;
const breaker = { part: 'breaker', openMs: 60_000 } as const;

export const b19: Behaviour = {
  id: 'B19',
  title: 'Retry burns no delay against an open breaker',
  needs: ['retry', 'breaker'],
  done: 'Three retries around or inside a breaker that one failure opens. Two calls of work that fails; counted the delays that began while the circuit was open.',
  expected: 'None, and the second call is refused.',
  observe: (contender, notes) =>
    best(
      notes,
      [
        { how: 'retry around the breaker', parts: [retry, breaker] },
        { how: 'breaker around the retry', parts: [breaker, retry] },
      ],
      async (parts) => {
        const guarded = await contender.build(parts);
        let burnt = 0;
        guarded.onRetry(() => {
          if (guarded.circuit() === 'open') burnt += 1;
        });
        await guarded.call(rejectAsDown);
        control(guarded.circuit() === 'open', 'the first call opens the circuit');
        const second = await guarded.call(rejectAsDown);
        control(second.kind === 'refused', 'the second call is refused');
        return {
          ok: burnt === 0,
          seen: `${burnt === 0 ? 'no delay' : burnt === 1 ? '1 delay' : `${burnt} delays`} against the open circuit`,
        };
      },
    ),
};
