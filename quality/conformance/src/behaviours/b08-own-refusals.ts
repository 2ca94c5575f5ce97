import type { Behaviour } from '../port.ts';
import { best, control, wait } from '../situation.ts';

const breaker = { part: 'breaker', openMs: 60_000, failures: 3 } as const;
const bulkhead = { part: 'bulkhead', limit: 1, queue: 0 } as const;

export const b08: Behaviour = {
  id: 'B8',
  title: 'Rejections of its own bulkhead are not failures of the dependency',
  needs: ['breaker', 'bulkhead'],
  done: 'One slot, no queue, a breaker that three failures open; ten calls at once to a healthy dependency.',
  expected: 'Nine are refused because no slot is free; the circuit is closed.',
  observe: (contender, notes) =>
    best(
      notes,
      [
        { how: 'breaker around the bulkhead', parts: [breaker, bulkhead] },
        { how: 'bulkhead around the breaker', parts: [bulkhead, breaker] },
      ],
      async (parts) => {
        const guarded = await contender.build(parts);
        const answers = await Promise.all(Array.from({ length: 10 }, () => guarded.call(() => wait(30))));
        const refused = answers.filter((each) => each.kind === 'refused' && each.by === 'bulkhead').length;
        control(refused > 0, 'the bulkhead refuses');
        const circuit = guarded.circuit();
        return { ok: circuit === 'closed', seen: `${refused} refused by the bulkhead, the circuit is ${circuit}` };
      },
    ),
};
