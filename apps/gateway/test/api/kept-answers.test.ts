/** Kept answers never exceed their limit, and none is returned after its time. */
import { array, assert, integer, oneof, property, record, constant, nat } from 'fast-check';
import { expect, test } from 'vitest';
import { KeptAnswers } from '../../src/api/turns/kept-answers.ts';

const limits = { keptAnswerChars: 2_000, keptAnswerMs: 100 };

test('exactly the newest answers that fit are kept', () => {
  const steps = array(
    oneof(
      record({ kind: constant('keep' as const), key: nat({ max: 6 }), chars: integer({ min: 0, max: 2_500 }) }),
      record({ kind: constant('wait' as const), ms: integer({ min: 1, max: 80 }) }),
    ),
    { maxLength: 40 },
  );
  assert(
    property(steps, (given) => {
      let now = 0;
      const answers = new KeptAnswers(limits, () => now);
      let model: { readonly key: string; readonly text: string; readonly at: number }[] = [];
      const weight = (): number => model.reduce((sum, { text }) => sum + text.length + 300, 0);
      for (const step of given) {
        if (step.kind === 'wait') now += step.ms;
        else {
          const key = `k${step.key}`;
          const text = 'x'.repeat(step.chars);
          answers.keep(key, undefined, { fingerprint: 'f', text });
          model = model.filter((each) => each.key !== key);
          if (text.length + 300 <= limits.keptAnswerChars) model.push({ key, text, at: now });
          while (weight() > limits.keptAnswerChars) model.shift();
        }
        const alive = model.filter(({ at }) => now - at < limits.keptAnswerMs);
        for (let index = 0; index <= 6; index += 1) {
          const key = `k${index}`;
          expect(answers.get(key)?.text).toBe(alive.find((each) => each.key === key)?.text);
        }
        model = alive;
      }
      expect(answers.size).toBe(model.length);
    }),
  );
});

test('an owner of many answers does not push out those of others', () => {
  const answers = new KeptAnswers(limits, () => 0);
  answers.keep('alice', 'alice', { fingerprint: 'f', text: 'x'.repeat(100) });
  for (let count = 0; count < 50; count += 1) answers.keep(`bob-${count}`, 'bob', { fingerprint: 'f', text: 'x'.repeat(100) });
  answers.keep('bob-large', 'bob', { fingerprint: 'f', text: 'x'.repeat(1_650) });
  expect(answers.get('alice')?.text).toHaveLength(100);
  expect(answers.get('bob-49')?.text).toHaveLength(100);
  expect(answers.get('bob-large')).toBeUndefined();
});
