import { expect, it } from 'vitest';
import { effectFromAnnotations } from '../../../src/engine/tool/annotations.ts';

it.each([
  [undefined, undefined],
  [{}, undefined],
  [{ readOnlyHint: true, destructiveHint: true }, 'read'],
  [{ readOnlyHint: false, idempotentHint: true, destructiveHint: true }, 'idempotent'],
  [{ destructiveHint: true }, 'unsafe'],
  [{ readOnlyHint: false, destructiveHint: false }, undefined],
])('%j means %j', (annotations, effect) => {
  expect(effectFromAnnotations(annotations)).toBe(effect);
});
