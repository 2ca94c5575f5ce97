import { describe, expect, test } from 'vitest';
import { problemOf } from '../../src/data/problem.ts';

describe('problemOf', () => {
  test('uses the message of a refusal and keeps its fix', () => {
    const error = { code: 'UNKNOWN_TOOL', message: 'There is no tool x.', hint: 'Look at /v1/tools.', suggestion: 'xy' };
    expect(problemOf(404, { status: 404, title: 'Not Found', detail: 'x', error })).toEqual({
      kind: 'not_found',
      status: 404,
      title: 'Not Found',
      detail: 'There is no tool x.',
      error,
    });
  });

  test('reports a missing token as denied, regardless of the body', () => {
    expect(problemOf(401, { error: { code: 'unauthorized' } })).toMatchObject({ kind: 'denied', title: 'A token is required' });
    expect(problemOf(403, undefined).kind).toBe('denied');
  });

  test('reports the status if the body cannot be parsed', () => {
    expect(problemOf(502, '<html>')).toEqual({
      kind: 'refused',
      status: 502,
      title: 'The gateway responded with status 502',
      detail: 'No reason given.',
    });
  });
});
