import type { Behaviour } from '../port.ts';
import { BadRequest, control, halfOpen } from '../situation.ts';

export const b01: Behaviour = {
  id: 'B1',
  title: 'A permanent or filtered error in half-open does not close the circuit',
  needs: ['breaker'],
  done: 'Opened the circuit with a failure of the dependency, waited for half-open, and let the probe fail with an error that the library is configured not to count as the dependency’s.',
  expected: 'The circuit is not closed: nothing has shown that the dependency works again.',
  async observe(contender) {
    const guarded = await halfOpen(contender);
    let probed = false;
    await guarded.call(async () => {
      probed = true;
      return Promise.reject(new BadRequest('bad request'));
    });
    control(probed, 'the probe ran');
    const circuit = guarded.circuit();
    return { ok: circuit !== 'closed', seen: `the circuit is ${circuit}` };
  },
};
