/** The description of any thrown value. */
import { describe, expect, it } from 'vitest';
import { describeError } from '../../../src/engine/classify/describe-error.ts';
import { errorWith } from './errors.ts';

describe('values that a client should not throw', () => {
  it.each<[unknown, string]>([
    ['', 'Error'],
    [false, 'false'],
    [0, '0'],
    [-0, '0'],
    [Number.NaN, 'NaN'],
    [() => 1, 'a function was thrown'],
    [class Odd {}, 'a function was thrown'],
    ['x'.repeat(4096), 'x'.repeat(4096)],
    ['x'.repeat(4097), `${'x'.repeat(4095)}…`],
  ])('%s', (thrown, message) => expect(describeError(thrown)).toEqual({ name: 'Error', message: message === 'Error' ? '' : message }));
});

describe('the name', () => {
  it.each<[unknown, string]>([
    [errorWith({}, 'x', 'OddError'), 'OddError'],
    [new (class OddError extends Error {})('x'), 'Error'],
    [{ name: 'Odd', message: 'x' }, 'Odd'],
    [{ _tag: 'Odd' }, 'Object'],
    [Object.assign(Object.create(null) as object, { _tag: 'Odd' }), 'Odd'],
    [Object.create(null), 'Error'],
    [errorWith({}, 'x', 'N'.repeat(80)), 'N'.repeat(80)],
  ])('%#', (thrown, name) => expect(describeError(thrown).name).toBe(name));
});

describe('the message', () => {
  it.each<[string, unknown, string]>([
    ['its own', errorWith({ detail: 'second' }, 'first'), 'first'],
    ['else the first text in it', errorWith({ detail: 'second' }, ''), 'second'],
    ['also if the message is an object', { message: { text: 'inner' } }, 'inner'],
    ['else that of the first of several errors', { errors: [{ message: 'first' }, { message: 'second' }] }, 'first'],
    ['else the status', { statusCode: 404 }, 'HTTP status 404'],
    ['else the name', errorWith({}, '', 'OddError'), 'OddError'],
    ['the name even if the cause has one', errorWith({ cause: new Error('x') }, '', 'OddError'), 'OddError'],
    ['at most 4096 characters of it', new Error('x'.repeat(5000)), `${'x'.repeat(4095)}…`],
    ['all of 4096', new Error('x'.repeat(4096)), 'x'.repeat(4096)],
    [
      'its data as JSON, of an object without a message',
      { code: 5, of: { seats: ['12A'], big: 1n } },
      '{"code":5,"of":{"seats":["12A"],"big":"1"}}',
    ],
    ['its data as JSON, of an instance', Object.assign(Object.create({ kind: 'inherited' }) as object, { id: 3 }), '{"id":3}'],
    ['of a list', [1, 2], '[1,2]'],
    ['of an empty list', { errors: [] }, '{"errors":[]}'],
    ['the name without any data', {}, 'Object'],
    ['the name of what has an empty message', { message: '', code: 5 }, 'Object'],
  ])('%s', (_what, thrown, message) => expect(describeError(thrown).message).toBe(message));
});

it('the data of a large object are cut', () => {
  const { message } = describeError({ seats: Array.from({ length: 100_000 }, () => 12) });
  expect(message).toMatch(/^\{"seats":\[12,/);
  expect(message.length).toBeLessThanOrEqual(4096);
});

describe('the code', () => {
  it.each<[string, unknown, string | undefined]>([
    ['its own', errorWith({ code: 'EODD' }), 'EODD'],
    ['a number', errorWith({ code: 14 }), '14'],
    ['a field that contains one', errorWith({ errno: 'EODD' }), 'EODD'],
    ['not a type', errorWith({ type: 'odd' }), undefined],
    ['not one that only names the library', errorWith({ code: 'ERR_BAD_REQUEST' }), undefined],
    ['the first meaningful one', errorWith({ code: 'EREQUEST', errorCode: 'EODD' }), 'EODD'],
    ['not that of the cause', errorWith({ cause: { code: 'EODD' } }), undefined],
    ['at most 80 characters of it', errorWith({ code: 'X'.repeat(90) }), `${'X'.repeat(79)}…`],
    ['all of 80', errorWith({ code: 'X'.repeat(80) }), 'X'.repeat(80)],
  ])('%s', (_what, thrown, code) => {
    const described = describeError(thrown);
    expect(described.code).toBe(code);
    expect('code' in described).toBe(code !== undefined);
  });
});
