import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  commandOf,
  fromFragment,
  initialState,
  maxPolicies,
  maxProcesses,
  maxSeeds,
  policyNames,
  type State,
  toFragment,
} from '../../src/state/state.ts';
import { scenarioNames } from '../../src/lab/stories.ts';

const text = fc.oneof(fc.string({ maxLength: 60 }), fc.constantFrom('', 'a: 1\nb: [ü, "&#%=+"]\n'));
const states: fc.Arbitrary<State> = fc.record({
  world: fc.constantFrom(...scenarioNames),
  worldText: text,
  policies: fc.uniqueArray(fc.constantFrom(...policyNames), { minLength: 1, maxLength: maxPolicies }),
  ownPolicy: text,
  processes: fc.integer({ min: 0, max: maxProcesses }),
  seeds: fc.integer({ min: 1, max: maxSeeds }),
  seed: fc.string({ minLength: 1, maxLength: 40 }),
});

test('a link has everything that the page needs', () => {
  fc.assert(
    fc.property(states, (state) => {
      const read = fromFragment(`#${toFragment(state)}`);
      const expected = state.policies.includes('own') ? state : { ...state, ownPolicy: initialState.ownPolicy };
      expect(read).toEqual(expected);
    }),
  );
});

test('the page as it starts has a short address', () => {
  expect(toFragment(initialState)).toBe('');
  expect(fromFragment('')).toEqual(initialState);
  expect(toFragment({ ...initialState, world: 'flapping', policies: ['none', 'peer:polly'] })).toBe('w=flapping&p=none%2Cpeer%3Apolly');
});

test('no fragment throws, and what cannot be used is as at the start', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ maxLength: 200 }),
        fc.string({ maxLength: 40 }).map((part) => `#w=${part}&p=${part}&n=${part}&k=${part}`),
      ),
      (fragment) => {
        const state = fromFragment(fragment);
        expect(scenarioNames).toContain(state.world);
        expect(state.policies.length).toBeGreaterThan(0);
        expect(state.policies.every((name) => policyNames.includes(name))).toBe(true);
        expect(state.seeds >= 1 && state.seeds <= maxSeeds && state.processes >= 0 && state.processes <= maxProcesses).toBe(true);
      },
    ),
  );
  expect(fromFragment('#w=constructor&p=toString,,nothing&n=-5&k=1e9&s=')).toEqual(initialState);
  expect(fromFragment('#k=999&n=999')).toMatchObject({ seeds: maxSeeds, processes: maxProcesses });
});

test('the command has the same figures', () => {
  expect(commandOf({ ...initialState, policies: ['none', 'own'], processes: 60, seed: "a 'b'" })).toBe(
    String.raw`npx holdfast simulate --scenario outage --policy none --policy policy.yaml --processes 60 --seeds 2 --seed 'a '\''b'\''' -o json`,
  );
  expect(commandOf({ ...initialState, worldText: 'name: mine' })).toContain('simulate world.yaml --policy none');
});
