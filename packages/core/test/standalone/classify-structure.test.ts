import { describe, expect, it } from 'vitest';
import { classify } from '../../src/engine/classify/classify.ts';
import { classifyStructure, rows } from '../../src/standalone/classify-structure.ts';
import { hostileValues } from '../support/hostile-values.ts';

const options = { nowEpochMs: 0 };

describe('the small classifier', () => {
  const statuses = Array.from({ length: 200 }, (_, index) => 400 + index);

  it.each(statuses)('agrees with the full classifier on status %d', (status) => {
    const full = classify({ status }, options);
    const small = classifyStructure({ status }, options);
    expect(small.classification).toBe(full.classification);
    expect(small).toMatchObject({ status, rule: `status:${status}` });
    expect(small.ambiguous || !full.ambiguous).toBe(true);
  });

  const values = rows.flatMap((row) => row.split(' ').slice(2));

  it.each(values.filter((value) => /^E|^UND|^ABORT/.test(value)))('agrees with the full classifier on code %s', (code) => {
    const { rule: _full, ...full } = classify({ code }, options);
    const { rule, ...small } = classifyStructure({ code }, options);
    expect(small).toEqual(full);
    expect(rule).toBe(`code:${code}`);
  });

  it.each(values.filter((value) => value.endsWith('Error')))('agrees with the full classifier on the name %s', (name) => {
    expect(classifyStructure({ name }, options)).toMatchObject({
      classification: classify({ name, message: '' }, options).classification,
      category: classify({ name, message: '' }, options).category,
    });
  });

  it('reads the status of the response and of the cause', () => {
    expect(classifyStructure({ response: { status: 404 } }, options).category).toBe('not_found');
    expect(classifyStructure({ cause: { statusCode: 401 } }, options).category).toBe('auth');
    expect(classifyStructure({ status: 503, cause: { status: 404 } }, options).classification).toBe('transient');
  });

  it('uses the innermost code', () => {
    expect(classifyStructure({ code: 'ECONNRESET', cause: { code: 'ENOENT' } }, options).rule).toBe('code:ENOENT');
    expect(classifyStructure({ name: 'TypeError', cause: { code: 'ECONNREFUSED' } }, options).rule).toBe('code:ECONNREFUSED');
  });

  it('classifies everything else as transient', () => {
    for (const error of [undefined, null, 'text', 404, new TypeError('x'), { code: 'SOMETHING' }, { status: 200 }])
      expect(classifyStructure(error, options)).toEqual({
        classification: 'transient',
        category: 'unknown',
        rule: 'unknown',
        ambiguous: true,
      });
  });

  it.each(Object.entries(hostileValues))('classifies %s without throwing', (_name, make) => {
    expect(['transient', 'permanent', 'neutral']).toContain(classifyStructure(make(), options).classification);
  });

  it('distinguishes the abort of the caller from another one', () => {
    const abort = { name: 'AbortError' };
    expect(classifyStructure(abort, options).classification).toBe('neutral');
    expect(classifyStructure(abort, { ...options, callerAborted: false })).toMatchObject({
      classification: 'transient',
      category: 'timeout',
    });
    expect(classifyStructure({ status: 503 }, { ...options, callerAborted: true }).classification).toBe('neutral');
  });

  it('reads a Retry-After of transient errors only', () => {
    const headers = { 'retry-after': '2' };
    expect(classifyStructure({ status: 503, headers }, options).retryAfterMs).toBe(2_000);
    expect(classifyStructure({ status: 404, headers }, options)).not.toHaveProperty('retryAfterMs');
    expect(classifyStructure({ status: 503, headers: { 'retry-after': 'soon' } }, options)).not.toHaveProperty('retryAfterMs');
    expect(classifyStructure({ headers: { 'retry-after': Object.create(null) } }, options)).not.toHaveProperty('retryAfterMs');
  });
});
