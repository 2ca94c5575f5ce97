import { expect, test } from 'vitest';
import { postgresOptions } from '../src/index.ts';

const entry = { url: 'postgres://holdfast@db/holdfast', schema: 'holdfast', connections: 4 };

test('text values are kept unchanged', () => {
  expect(postgresOptions(entry, {})).toEqual(entry);
});

test('variables are read, with their prefix', () => {
  const referring = { ...entry, url: { env: 'PLACE', prefix: 'postgres://' }, password: { env: 'SECRET' } };
  expect(postgresOptions(referring, { PLACE: 'db/holdfast', SECRET: 'hush' })).toEqual({
    ...entry,
    url: 'postgres://db/holdfast',
    password: 'hush',
  });
});

test.each([
  ['url', { url: { env: 'PLACE' } }],
  ['password', { password: { env: 'PLACE' } }],
])('a variable of %s that is not set or empty is named', (field, more) => {
  for (const environment of [{}, { PLACE: '' }])
    expect(() => postgresOptions({ ...entry, ...more }, environment)).toThrow(
      new TypeError(`store.postgres.${field}: the environment variable PLACE is not set.`),
    );
});
