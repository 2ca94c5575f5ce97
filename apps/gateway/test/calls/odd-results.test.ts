/** Unusual results of servers, invalid and valid. */
import { join } from 'node:path';
import { createRedactor } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactResult } from '../../src/calls/redact-result.ts';
import { servers, tool } from '../catalog/scene.ts';
import { callsScene, failed, request, text, textOf } from './scene.ts';

const read = { annotations: { readOnlyHint: true } };

function nested(levels: number): unknown {
  let value: unknown = 'core';
  for (let level = 0; level < levels; level++) value = { in: value };
  return value;
}

describe('a result', () => {
  it('that is nested deeper than the limit of the engine is unchanged', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('deep', read)] });
    const result = { content: [], structuredContent: nested(300) };
    scene.upstream('a').onCall = () => result;
    expect(await scene.call('a__deep')).toBe(result);
  });

  it('that is nested too deeply to be serialized is an error, without other effects', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('deep', read)] });
    for (const isError of [false, true]) {
      scene.upstream('a').onCall = () => ({ content: [{ type: 'text', text: 'not found' }], structuredContent: nested(20_000), isError });
      const result = await scene.call('a__deep');
      expect(result['isError']).toBe(true);
      expect(JSON.stringify(result).length).toBeLessThan(10_000);
    }
  });

  it.each([
    ['nothing in it', {}],
    ['no list of content', { content: 'text' }],
    ['holes in its content', { content: [null, 5, { type: 'text' }] }],
    ['names of prototypes in it', JSON.parse('{"content": [], "__proto__": {"a": 1}, "constructor": 5}') as JsonObject],
  ])('with %s is returned', async (_what, result) => {
    const scene = await callsScene(servers(['a']), { a: [tool('odd', read)] });
    scene.upstream('a').onCall = () => result;
    expect(await scene.call('a__odd')).toBe(result);
    scene.upstream('a').onCall = () => ({ ...result, isError: true });
    expect(await scene.call('a__odd')).toMatchObject({ isError: true });
  });

  it('of a hedged tool is the first one, unchanged', async () => {
    const source = 'version: 1\nmcp_servers: { a: { command: x, defaults: { hedge: { after_ms: 1 } } } }\ngateway: { tool_lock: off }\n';
    const scene = await callsScene(source, { a: [tool('twice', read)] });
    const results: JsonObject[] = [];
    scene.upstream('a').onCall = async () => {
      const result = text(`answer ${results.length}`);
      results.push(result);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return result;
    };
    const answer = await scene.call('a__twice');
    expect(results).toContain(answer);
    expect(results.length).toBe(2);
  });

  it('larger than the limit of the engine is complete', async () => {
    const source =
      'version: 1\nmcp_servers: { a: { command: x, tools: { big: { max_output_chars: 100 } } } }\ngateway: { tool_lock: off }\n';
    const scene = await callsScene(source, { a: [tool('big', read)] });
    const result = text('x'.repeat(5000));
    scene.upstream('a').onCall = () => result;
    expect(await scene.call('a__big')).toBe(result);
  });
});

describe('progress of a tool without a server', () => {
  it('reaches the client, and only increases', async () => {
    const module = join(import.meta.dirname, 'fixtures/reporting.mjs');
    const scene = await callsScene(`version: 1\ntools: [{ id: mine, run: { module: '${module}' } }]\ngateway: { tool_lock: off }\n`, {});
    const asked = request('mine', {}, { wantsProgress: true });
    expect(textOf(await scene.calls.handle(asked))).toBe('mine');
    expect(asked.progress).toEqual([
      { progress: 1, total: 2, message: 'half' },
      { progress: expect.closeTo(1) as unknown, message: 'nearly' },
    ]);
    expect(textOf(await scene.call('mine'))).toBe('mine');
  });
});

describe('a call of a tool that is removed during the call', () => {
  it('is answered normally', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('slow', read)] });
    const result = { content: [{ type: 'text', text: 'late' }], 'x-own': 1 };
    let answer = (): void => {};
    scene.upstream('a').onCall = () => new Promise((resolve) => (answer = () => resolve(result)));
    const answered = scene.call('a__slow');
    await new Promise((resolve) => setTimeout(resolve, 5));
    scene.upstream('a').tools = [];
    await scene.catalog.refresh('a');
    scene.service.replaceTools([]);
    answer();
    expect(await answered).toBe(result);
  });
});

describe('secrets', () => {
  const redact = createRedactor({ secrets: ['hunter22'], maxChars: Infinity });

  it('are redacted in every text of an error, and nowhere else', () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'hunter22' };
    const result = {
      content: [
        { type: 'text', text: 'a hunter22 b' },
        image,
        { type: 'resource', resource: { uri: 'a://hunter22', mimeType: 'text/plain', text: 'hunter22' } },
      ],
      structuredContent: { data: 'hunter22', deep: [{ a: 'hunter22' }] },
    };
    expect(redactResult(result, redact)).toEqual({
      content: [
        { type: 'text', text: 'a [redacted] b' },
        image,
        { type: 'resource', resource: { uri: 'a://hunter22', mimeType: 'text/plain', text: '[redacted]' } },
      ],
      structuredContent: { data: '[redacted]', deep: [{ a: '[redacted]' }] },
    });
  });

  it('that do not occur leave the same object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (result) => {
        expect(redactResult(result as JsonObject, (value) => value)).toBe(result);
      }),
    );
  });

  it('stay in successful results, unless the gateway is configured to redact them', async () => {
    const lists = { a: [tool('get', read)] };
    const answer = text('password=hunter22');
    const open = await callsScene(servers(['a']), lists);
    open.upstream('a').onCall = () => answer;
    expect(await open.call('a__get')).toBe(answer);
    const strict = await callsScene(servers(['a']), lists, { redactsSuccesses: true, redact: { secrets: ['tern'] } });
    strict.upstream('a').onCall = () => ({ ...text('password=hunter22, lantern'), 'x-own': 1 });
    expect(await strict.call('a__get')).toEqual({ ...text('password=[redacted], lan[redacted]'), 'x-own': 1 });
  });

  it('are not in messages, advice or names of failed tools', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('get', read)] }, { redact: { secrets: ['tulip-7788'] } });
    const cases = [
      new Error('tulip-7788'),
      Object.assign(new Error('x'), { code: 'tulip-7788' }),
      failed('tulip-7788'),
      Object.assign(new Error('x'), { cause: new Error('tulip-7788') }),
    ];
    for (const one of cases) {
      scene.upstream('a').onCall = () => ('content' in one ? (one as JsonObject) : Promise.reject(one as Error));
      const result = await scene.call('a__get');
      expect(JSON.stringify(result)).not.toContain('tulip-7788');
      expect(JSON.stringify(result)).not.toContain('.ts:');
    }
  });
});

describe('many calls at once', () => {
  it('do not mix their answers, their progress or their questions', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('mix', read)] });
    scene.upstream('a').onCall = async ({ arguments: args }, { onProgress, onRequest }) => {
      const { n } = args as { readonly n: number };
      onProgress?.({ progress: n });
      await new Promise((resolve) => setTimeout(resolve, n % 7));
      const answer = await onRequest?.('roots/list', { n });
      return text(JSON.stringify({ n, answer }));
    };
    const asked = Array.from({ length: 100 }, (_, n) =>
      request(
        'a__mix',
        { n },
        { wantsProgress: true, client: { capabilities: { roots: {} } }, answers: (_method, params) => ({ for: params['n'] }) },
      ),
    );
    const results = await Promise.all(asked.map((one) => scene.calls.handle(one)));
    results.forEach((result, n) => expect(JSON.parse(textOf(result))).toEqual({ n, answer: { for: n } }));
    asked.forEach((one, n) => expect(one.progress).toEqual([{ progress: n }]));
    expect(scene.calls.status()).toEqual({ running: 0, suspended: 0, spilledBytes: 0 });
  });
});
