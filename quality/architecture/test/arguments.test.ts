/**
 * What cannot be read is refused when it is given: every function, constructor and method of these packages is called with wrong arguments at every position.
 * Each is refused in words that name the argument, or is listed beside its function with the reason why it is valid (`support/arguments`).
 */
import { describe, expect, test } from 'vitest';
import { owners } from './support/arguments/owners.ts';
import { functionsOf, outcomeOf, wrongCallsOf } from './support/arguments/wrong-calls.ts';

describe.each(owners)('$name', (owner) => {
  test('has no function that is not tried', () => {
    expect(functionsOf(owner.get()).filter((name) => !Object.hasOwn(owner.subjects, name))).toEqual([]);
  });

  const tried = Object.entries(owner.subjects).flatMap(([name, subject]) =>
    typeof subject === 'string' ? [] : [[name, subject] as const],
  );
  test.each(tried)('%s', async (name, subject) => {
    expect(await outcomeOf(owner, name, subject.args())).toBe('accepted');
    const wrong: string[] = [];
    for (const { shown, args, isValid } of wrongCallsOf(subject)) {
      const outcome = await outcomeOf(owner, name, args);
      if (isValid ? outcome.startsWith('ACCIDENT') : !outcome.startsWith('refused')) wrong.push(`${name}(${shown}): ${outcome}`);
    }
    expect(wrong).toEqual([]);
  });
});
