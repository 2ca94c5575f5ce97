import { describe, expect, test } from 'vitest';
import { problemOf } from '../../src/data/problem.ts';

describe('problemOf', () => {
  test('tells the message and keeps the fix of a refusal', () => {
    const error = { code: 'UNKNOWN_TOOL', message: 'There is no tool x.', hint: 'Look at /v1/tools.', suggestion: 'xy' };
    expect(problemOf(404, { status: 404, title: 'Not Found', detail: 'x', error })).toEqual({
      kind: 'not_found',
      status: 404,
      title: 'Not Found',
      detail: 'There is no tool x.',
      error,
    });
  });

  test('a missing token is its own kind, whatever the body says', () => {
    expect(problemOf(401, { error: { code: 'unauthorized' } })).toMatchObject({ kind: 'denied', title: 'A token is needed' });
    expect(problemOf(403, undefined).kind).toBe('denied');
  });

  test('says the status where nothing can be read', () => {
    expect(problemOf(502, '<html>')).toEqual({
      kind: 'refused',
      status: 502,
      title: 'The gateway answered 502',
      detail: 'It gave no reason.',
    });
  });
});
