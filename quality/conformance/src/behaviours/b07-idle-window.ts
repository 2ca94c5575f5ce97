import type { Behaviour, Contender, Guarded } from '../port.ts';
import { control, rejectAsDown, wait } from '../situation.ts';

const windowMs = 1_000;

async function failures(contender: Contender, times: number): Promise<Guarded> {
  const guarded = await contender.build([{ part: 'rate breaker', windowMs }]);
  for (let call = 0; call < times; call++) await guarded.call(rejectAsDown);
  return guarded;
}

export const b07: Behaviour = {
  id: 'B7',
  title: 'A rolling window expires while idle',
  needs: ['rate breaker'],
  done: 'Window of 1 s, at least five calls. Four failures, then nothing for three windows, then one failure.',
  expected: 'The circuit is closed: one call is in the window. (Five failures in one window open it.)',
  async observe(contender) {
    control((await failures(contender, 5)).circuit() === 'open', 'five failures in one window open the circuit');
    const guarded = await failures(contender, 4);
    control(guarded.circuit() === 'closed', 'four failures leave it closed');
    await wait(windowMs * 3);
    await guarded.call(rejectAsDown);
    const circuit = guarded.circuit();
    return { ok: circuit === 'closed', seen: `the circuit is ${circuit}` };
  },
};
