import type { Behaviour, Part } from '../port.ts';
import { describeAnswer, partsOf } from '../situation.ts';

const parts: readonly Part[] = [
  { part: 'retry', retries: 1, delayMs: 10 },
  { part: 'breaker', openMs: 60_000 },
];

export const b15: Behaviour = {
  id: 'B15',
  title: 'Synchronous and `undefined`-returning functions work',
  needs: ['plain functions'],
  done: 'Called `() => 7` and `() => undefined`.',
  expected: 'The values 7 and undefined, each after one attempt, and a closed circuit.',
  async observe(contender, notes) {
    const wrong: string[] = [];
    for (const expected of [7, undefined]) {
      const guarded = await contender.build(partsOf(notes, parts));
      let attempts = 0;
      const answer = await guarded.call(() => {
        attempts += 1;
        return expected;
      });
      if (answer.kind === 'value' && answer.value === expected && attempts === 1 && guarded.circuit() === 'closed') continue;
      wrong.push(`\`() => ${expected}\`: ${describeAnswer(answer)}, the circuit is ${guarded.circuit()}`);
    }
    return { ok: wrong.length === 0, seen: wrong.length === 0 ? 'both values' : wrong.join('; ') };
  },
};
