/** One wording of wrong arguments, whatever a framework says about them. */
import { describeMismatch } from '@holdfast/adapter-kit';
import { expect, it } from 'vitest';

const schema = { type: 'object', properties: { to: { type: 'string' }, seats: { type: 'integer', maximum: 9 } }, required: ['to'] };
const zodIssues = { issues: [{ path: ['seats'], message: 'must be even' }] };

it('names each field, what was sent and what is missing', () => {
  expect(describeMismatch({ value: { to: 5.5, seats: 'many' }, schema })).toBe(
    `Parameter 'to': must be text, got 5.5; Parameter 'seats': must be a whole number, got "many"`,
  );
  expect(describeMismatch({ value: { too: 'OSL' }, schema })).toMatch(/^Required parameter 'to' missing \(you sent 'too'\)/);
});

it('can keep to the words of the schema, without anything that was sent', () => {
  const hidden = (value: unknown, error?: unknown): string => describeMismatch({ value, schema, error, hidesValues: true });
  expect(hidden({ to: 5.5, seats: 'SECRET' })).toBe("Parameter 'to': must be text; Parameter 'seats': must be a whole number");
  expect(hidden({ SECRET: 'OSL' })).toBe("Required parameter 'to' missing");
  expect(hidden({ to: 'OSL', seats: 3 }, { issues: [{ path: ['seats'], message: 'SECRET is odd' }] })).toBe(
    'The arguments do not match the schema',
  );
  expect(hidden({ to: 'OSL', seats: 12 })).toBe("Parameter 'seats': must be 9 or less");
});

it('uses the issues of the framework where the JSON Schema accepts the arguments', () => {
  const value = { to: 'OSL', seats: 3 };
  for (const error of [zodIssues, { message: 'invalid', cause: zodIssues }])
    expect(describeMismatch({ value, schema, error })).toBe("Parameter 'seats': must be even");
  const missing = { issues: [{ path: [{ key: 'from' }], message: 'expected string, received undefined' }] };
  expect(describeMismatch({ value, schema: undefined, error: missing })).toBe("Required parameter 'from' missing");
});

it('uses the words of an error without issues, and never throws', () => {
  const value = { to: 'OSL' };
  expect(describeMismatch({ value, schema, error: new Error('not today') })).toBe('The arguments do not match the schema: not today');
  expect(describeMismatch({ value, schema: undefined })).toBe('The arguments do not match the schema: validation failed');
  const cyclic: { cause?: unknown } = {};
  cyclic.cause = cyclic;
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error('no');
      },
    },
  );
  for (const error of [cyclic, hostile, 5, null, 'words'])
    expect(describeMismatch({ value, schema, error })).toMatch(/^The arguments do not match/);
  const broken = { type: 'object', properties: 5 } as never;
  expect(describeMismatch({ value: { seats: 3 }, schema: broken, error: zodIssues })).toBe("Parameter 'seats': must be even");
});
