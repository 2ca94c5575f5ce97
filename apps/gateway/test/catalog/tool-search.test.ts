/** Thousands of tools offered as two: found by words, called under their own names. */
import { describe, expect, test } from 'vitest';
import { ToolIndex } from '../../src/catalog/tool-index.ts';
import { calledParams, findTools, searchOffer } from '../../src/catalog/tool-search.ts';
import { connectHttp } from '../fixtures/client/http-client.ts';
import { textOf } from '../fixtures/client/raw-client.ts';
import { startGateway } from '../fixtures/gateway.ts';
import { programServer } from '../fixtures/manifests.ts';
import { hostileProgram, referenceProgram } from '../fixtures/programs.ts';

const definitions = [
  { name: 'github__create_issue', description: 'Create a new issue in a repository.' },
  { name: 'github__list_issues', description: 'List issues of a repository.' },
  { name: 'files__readTextFile', description: 'Read a file as text.' },
  { name: 'files__write_file', description: 'Write text to a file. Creates it if needed.' },
  { name: 'slack__post_message', description: 'Send a message to a channel.' },
  ...Array.from({ length: 2_000 }, (_, index) => ({
    name: `crm__field_${index}`,
    description: 'Read a field of the record of a customer.',
  })),
];

describe('finding', () => {
  test.each([
    ['create issue', 'github__create_issue'],
    ['list the issues of a repository', 'github__list_issues'],
    ['read text files', 'files__readTextFile'],
    ['write a file', 'files__write_file'],
    ['post a message to slack', 'slack__post_message'],
  ])('%s: %s', async (query, expected) => {
    const index = await ToolIndex.of(definitions);
    expect((await index.find(query, 3))[0]?.['name']).toBe(expected);
  });

  test('answers with schemas, at most as many as asked for, and says when nothing fits', async () => {
    const tools = definitions.map((definition) => ({ definition: { ...definition, inputSchema: { type: 'object' } } }));
    const found = await findTools(tools, { arguments: { query: 'issue', limit: 1 } });
    expect(textOf(found as never)).toMatch(/^\{"name":"github__.*"inputSchema":\{"type":"object"\}\}$/);
    expect(textOf((await findTools(tools, { arguments: { query: 'weather' } })) as never)).toContain('No tool of 2005 fits');
    await expect(findTools(tools, { arguments: {} })).rejects.toThrow("requires 'query'");
  });
});

test('pinned tools are offered beside the two, by wildcards', () => {
  const tools = definitions.map((definition) => ({ definition }));
  const names = (pinned: readonly string[]): readonly unknown[] => searchOffer(tools, pinned).map(({ definition }) => definition['name']);
  expect(names([])).toEqual(['find_tool', 'call_tool']);
  expect(names(['github__*', 'files__write_?ile'])).toEqual([
    'find_tool',
    'call_tool',
    'github__create_issue',
    'github__list_issues',
    'files__write_file',
  ]);
});

test('a call of call_tool is a call of the tool it names', () => {
  const _meta = { progressToken: 1 };
  expect(calledParams({ name: 'call_tool', arguments: { name: 'a', arguments: { b: 1 } }, _meta })).toEqual({
    name: 'a',
    arguments: { b: 1 },
    _meta,
  });
  expect(calledParams({ name: 'a', arguments: { b: 1 } })).toEqual({ name: 'a', arguments: { b: 1 } });
  expect(() => calledParams({ name: 'call_tool', arguments: { name: 'call_tool' } })).toThrow('calls other tools');
  expect(() => calledParams({ name: 'call_tool' })).toThrow("requires 'name'");
});

test('through a gateway: lists, checks, progress and the trace see the tool that is meant', { timeout: 30_000 }, async () => {
  await using gateway = await startGateway({
    mcp_servers: { one: programServer(hostileProgram), two: programServer(referenceProgram) },
    gateway: { reload: false, tool_lock: 'off', tools: 'search', pinned_tools: ['one__echo'] },
  });
  const called: string[] = [];
  gateway.gateway.service.subscribe((event) => {
    if (event.event_type === 'CallStarted') called.push(event.tool_id);
  });
  for (const era of ['legacy', 'modern'] as const) {
    await using client = await connectHttp(gateway.url, { era });
    const { tools } = (await client.request('tools/list')) as { tools: readonly { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['find_tool', 'call_tool', 'one__echo']);
    expect(textOf(await client.call('find_tool', { query: 'echo' }))).toContain('one__echo');
    const progress: string[] = [];
    const answer = await client.call(
      'call_tool',
      { name: 'one__slow', arguments: {} },
      { onNotification: (method) => progress.push(method) },
    );
    expect(textOf(answer)).toContain('done');
    expect(progress.length).toBeGreaterThan(0);
    expect(textOf(await client.call('one__echo', { message: 'pinned' }))).toBe('pinned');
    await expect(client.call('call_tool', { name: 'one__ech', arguments: {} })).rejects.toThrow("Did you mean 'one__echo'?");
  }
  expect(new Set(called)).toEqual(new Set(['one__slow', 'one__echo']));
});
