import { defineTool, type Runner } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { type JsonObject, rpcError } from '@holdfast/mcp-wire/server';
import { describe, expect, it } from 'vitest';
import { servers, tool } from '../catalog/scene.ts';
import { callsScene, errorOf, failed, text, textOf } from './scene.ts';

const read = { annotations: { readOnlyHint: true } };

describe('the output schema', () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

  it('is enforced: a result that does not match is a failure', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('count', { ...read, outputSchema })] });
    scene.upstream('a').onCall = () => ({ content: [], structuredContent: { n: 1 } });
    expect(await scene.call('a__count')).toEqual({ content: [], structuredContent: { n: 1 } });
    scene.upstream('a').onCall = () => ({ content: [], structuredContent: { n: 'one' } });
    const result = await scene.call('a__count');
    expect(errorOf(result)).toMatchObject({ category: 'contract', classification: 'permanent', attempts: 1 });
    expect(textOf(result)).toContain("does not match its output schema: Field 'n'");
  });

  it('does not apply to errors, or to results without structured content', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('count', { ...read, outputSchema })] });
    scene.upstream('a').onCall = () => text('plain');
    expect(await scene.call('a__count')).toEqual(text('plain'));
    scene.upstream('a').onCall = () => ({ ...failed('not found'), structuredContent: { why: 'x' } });
    expect(await scene.call('a__count')).toMatchObject({ isError: true, structuredContent: { why: 'x' } });
  });
});

describe('an alternative or fallback', () => {
  const source = (tools: string): string => `
version: 1
mcp_servers:
  main: { command: x, tools: { get: { ${tools} } } }
  spare: { command: x }
gateway: { tool_lock: off }
`;
  const lists = (more: JsonObject = {}) => ({ main: [tool('get', { ...read, ...more })], spare: [tool('get', read)] });

  it('can be a tool of another server, which the result states', async () => {
    const scene = await callsScene(source('alternatives: [spare__get]'), lists());
    scene.upstream('main').onCall = () => failed('not found');
    const answer = { ...text('from the spare'), 'x-own': 1 };
    scene.upstream('spare').onCall = () => answer;
    expect(await scene.call('main__get')).toEqual({
      ...answer,
      _meta: { 'dev.holdfast/call': { servedBy: 'spare__get', attempts: 2, fallbackUsed: true } },
    });
  });

  it('with output that does not match the schema is an error', async () => {
    const outputSchema = { type: 'object', required: ['n'] };
    const scene = await callsScene(source('alternatives: [spare__get]'), lists({ outputSchema }));
    scene.upstream('main').onCall = () => failed('not found');
    scene.upstream('spare').onCall = () => ({ ...text('from the spare'), structuredContent: { m: 1 } });
    const result = await scene.call('main__get');
    expect(result).toMatchObject({
      isError: true,
      content: [
        { type: 'text', text: 'spare__get has answered instead of main__get; its output does not match the schema.' },
        { text: 'from the spare' },
      ],
    });
    expect(result['structuredContent']).toBeUndefined();
    scene.upstream('spare').onCall = () => ({ ...text('from the spare'), structuredContent: { n: 1 } });
    expect(await scene.call('main__get')).toMatchObject({ structuredContent: { n: 1 } });
  });

  it('with a fixed value is a marked result', async () => {
    const scene = await callsScene(source('fallback: { n: 0 }'), lists());
    scene.upstream('main').onCall = () => failed('not found');
    const result = await scene.call('main__get');
    expect(result).toMatchObject({
      structuredContent: { n: 0 },
      content: [
        { type: 'text', text: '{"n":0}' },
        { type: 'text', text: expect.stringContaining('This is a fallback value, not the output of the tool.') as unknown },
      ],
    });
    expect(result['isError']).toBeUndefined();
    expect(errorOf(result)).toMatchObject({ category: 'not_found' });
  });

  it('that fails too ends with the last failure', async () => {
    const scene = await callsScene(source('alternatives: [spare__get]'), lists());
    scene.upstream('main').onCall = () => failed('not found');
    scene.upstream('spare').onCall = () => {
      throw rpcError(-32_602, 'no such tool');
    };
    const result = await scene.call('main__get');
    expect(result['isError']).toBe(true);
    expect(errorOf(result)).toMatchObject({ attempts: 2 });
  });
});

describe('partial output at the time limit', () => {
  it('is a marked result, if the manifest accepts it', async () => {
    const system = manualSystem();
    const run: Runner<unknown> = (_args, { reportPartial }) => {
      reportPartial({ rows: 1 });
      return new Promise(() => {});
    };
    const mine = defineTool({ name: 'mine', timeoutMs: 50, acceptPartial: true, retry: { maxAttempts: 1 }, run });
    const scene = await callsScene(servers(['a']), {}, { system, extra: [{ tool: mine, source: { kind: 'tool' } }] });
    const answered = scene.call('mine');
    await system.advance(50);
    expect(await answered).toEqual({
      content: [{ type: 'text', text: '{"rows":1}' }],
      structuredContent: { rows: 1 },
      _meta: { 'dev.holdfast/call': { servedBy: 'mine', attempts: 1, partial: true } },
    });
  });
});
