/** How a limited space is shared, compared with a simple model. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SharedSpace } from '../../src/plain/shared-space.ts';

const limit = 100;
const owners = ['alice', 'bob', undefined] as const;

interface Kept {
  readonly key: string;
  readonly owner: string | undefined;
  readonly size: number;
}

const sum = (kept: readonly Kept[]): number => kept.reduce((total, { size }) => total + size, 0);
const partOf = (kept: readonly Kept[], owner: string | undefined): readonly Kept[] => kept.filter((each) => each.owner === owner);

test('the sizes stay below the limit, and the owner with the most makes room, the oldest first', () => {
  const steps = fc.array(fc.record({ key: fc.nat(9), owner: fc.constantFrom(...owners), size: fc.integer({ min: 1, max: 120 }) }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(steps, (given) => {
      const space = new SharedSpace<number>();
      let model: Kept[] = [];
      for (const [index, { key, owner, size }] of given.entries()) {
        const name = `k${key}`;
        model = model.filter((each) => each.key !== name);
        const before = model;
        const removed = space.put(name, { owner, size, value: index }, limit)?.map(([gone]) => gone);
        if (removed !== undefined) model = [...before.filter((each) => !removed.includes(each.key)), { key: name, owner, size }];
        const isRefused = removed === undefined;
        const losers = owners.filter((each) => each !== owner && sum(partOf(model, each)) < sum(partOf(before, each)));
        // Only those lose who have more than the owner of the new value, and a refused one would have more than a fair share.
        expect(losers.filter((each) => sum(partOf(before, each)) < sum(partOf(model, owner)))).toEqual([]);
        expect(isRefused && sum(partOf(before, owner)) + size <= limit / owners.length).toBe(false);
        expect([...space.entries()].map(([kept]) => kept)).toEqual(model.map((each) => each.key));
        expect(space.size).toBe(sum(model));
        expect(space.size).toBeLessThanOrEqual(limit);
        expect(space.count).toBe(model.length);
      }
    }),
  );
});

test('one who fills the space removes only his own', () => {
  const space = new SharedSpace<string>();
  space.put('hers', { owner: 'alice', size: 30, value: 'x' }, limit);
  for (let count = 0; count < 50; count += 1) space.put(`his-${count}`, { owner: 'bob', size: 10, value: 'x' }, limit);
  expect(space.get('hers')).toBe('x');
  expect(space.put('too-large', { owner: 'bob', size: 80, value: 'x' }, limit)).toBeUndefined();
  expect(space.get('his-49')).toBe('x');
  expect(space.put('hers-too', { owner: 'alice', size: 20, value: 'x' }, limit)).toEqual([
    ['his-43', 'x'],
    ['his-44', 'x'],
  ]);
  expect(space.delete('hers')).toBe(true);
  expect(space.delete('hers')).toBe(false);
  expect(space.size).toBe(70);
});
