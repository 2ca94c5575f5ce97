import type { Behaviour } from '../port.ts';
import { control, gate, halfOpen, settledWithin } from '../situation.ts';

const callers = 100;

export const b03: Behaviour = {
  id: 'B3',
  title: 'Callers during a probe fail fast',
  needs: ['breaker'],
  done: 'While a probe was running, made 100 more calls; checked after 300 ms, with the probe still running.',
  expected: 'All 100 are refused.',
  async observe(contender) {
    const guarded = await halfOpen(contender);
    const answer = gate<string>();
    let probed = 0;
    const work = async (): Promise<string> => {
      probed += 1;
      return answer.promise;
    };
    const probe = guarded.call(work);
    const waiting = Array.from({ length: callers }, () => settledWithin(300, guarded.call(work)));
    const answers = await Promise.all(waiting);
    control(probed > 0, 'the probe ran');
    const refused = answers.filter((each) => each?.kind === 'refused').length;
    const pending = answers.filter((each) => each === undefined).length;
    answer.open('fine');
    await settledWithin(300, probe);
    return { ok: refused === callers, seen: `${refused} of ${callers} refused, ${pending} still waiting behind the probe` };
  },
};
