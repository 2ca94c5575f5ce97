/** Plans that cannot run: their problems, and that reading them is not too much work. */
import { describe, expect, test } from 'vitest';
import { createKit, plan } from './kit.ts';

const echo = { call_id: 'a', tool_id: 'echo', arguments: { x: 1 } };

describe('a plan with mistakes', () => {
  test('is answered with all of them, as for a turn file', async () => {
    const calls = [
      { call_id: 'a', tool_id: 'ecko', argz: 1 },
      { call_id: 'a', tool_id: 'echo', depends_on: ['b'] },
    ];
    const { status, body } = await createKit().post('/v1/turns', { calls, timout_ms: 5 });
    expect(status).toBe(422);
    const reported = body['error'].problems.map(({ code, field, suggestion }: Record<string, string>) => [code, field, suggestion]);
    expect(reported).toEqual([
      ['UNKNOWN_TOOL', 'calls[0].tool_id', 'echo'],
      ['UNKNOWN_KEY', 'calls[0].argz', 'arguments'],
      ['DUPLICATE_ID', 'calls[1].call_id', undefined],
      ['UNKNOWN_CALL', 'calls[1].depends_on[0]', undefined],
      ['UNKNOWN_KEY', 'timout_ms', 'timeout_ms'],
    ]);
    expect(body['error']).toMatchObject({ code: 'UNKNOWN_TOOL', line: 1, column: 36 });
    expect(body['detail']).toBe("There is no tool 'ecko'");
  });

  test.each([
    ['', 400, 'SYNTAX'],
    ['{"calls": [', 400, 'SYNTAX'],
    ['calls: []', 400, 'SYNTAX'],
    ['null', 422, 'WRONG_TYPE'],
    ['[]', 422, 'WRONG_TYPE'],
    ['{"calls":[]}', 422, 'WRONG_TYPE'],
    [`${'['.repeat(101)}${']'.repeat(101)}`, 422, 'TOO_DEEP'],
    [`[${'1,'.repeat(30_001)}1]`, 413, 'TOO_LARGE'],
  ])('%.20j as JSON is answered %i %s', async (text, status, code) => {
    expect(await createKit().post('/v1/turns', text)).toMatchObject({ status, body: { error: { code } } });
  });

  test.each([
    ['calls: [', 400, 'SYNTAX'],
    ['calls: []', 422, 'WRONG_TYPE'],
    ['a: &a [*a]', 422, 'BAD_ALIAS'],
    [`a: ${'['.repeat(2000)}`, 422, 'TOO_DEEP'],
    ['x'.repeat(1024 * 1024 + 1), 413, 'TOO_LARGE'],
    ['\n'.repeat(30_001), 413, 'TOO_LARGE'],
    ['a: '.repeat(30_001), 413, 'TOO_LARGE'],
    ['- '.repeat(30_001), 413, 'TOO_LARGE'],
  ])('%.20s as YAML is answered %i %s', async (text, status, code) => {
    const answer = await createKit().post('/v1/turns', text, { headers: { 'content-type': 'text/yaml' } });
    expect(answer).toMatchObject({ status, body: { error: { code } } });
  });

  test('of too many calls is refused', async () => {
    const kit = createKit({ limits: { planCalls: 2 } });
    const answer = await kit.post('/v1/turns', plan('one', echo, { ...echo, call_id: 'b' }, { ...echo, call_id: 'c' }));
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'TOO_MANY_CALLS', allowed: 'at most 2' } } });
  });

  test.each([['x'.repeat(513)], ['a\ud800']])('an id that cannot be part of a URL is refused', async (id) => {
    const answer = await createKit().post('/v1/turns', plan(id, echo));
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'OUT_OF_RANGE', field: 'turn_id' } } });
  });

  test.each(['.', '..'])('the id %s, which cannot be part of a URL, is refused', async (id) => {
    const kit = createKit();
    const error = { code: 'BAD_IDENTIFIER', allowed: expect.stringContaining("other than '.' and '..'") };
    expect(await kit.post('/v1/turns', plan(id, echo))).toMatchObject({ status: 422, body: { error: { ...error, field: 'turn_id' } } });
    const byQuery = await kit.post(`/v1/turns?turn_id=${id}`, plan('one', echo));
    const hint = expect.stringContaining('another id');
    expect(byQuery).toMatchObject({ status: 422, body: { error: { ...error, field: 'turn_id', hint } } });
    expect((await kit.post('/v1/turns', plan('...', echo))).status).toBe(200);
  });

  test('a long string in it is valid', async () => {
    const text = 'words, and: more; "quoted" \\ - \n'.repeat(10_000);
    const { body } = await createKit().post('/v1/turns', plan('one', { ...echo, arguments: { text } }));
    expect(body['results'][0].output.text).toHaveLength(text.length);
  });

  test('its secrets are redacted in the answer', async () => {
    const secret = `sk-live-${'a1b2c3d4'.repeat(4)}`;
    const { text } = await createKit().post('/v1/turns', plan('one', { call_id: 'a', tool_id: secret }));
    expect(text).not.toContain(secret);
    expect(text).toContain('[redacted]');
  });
});
