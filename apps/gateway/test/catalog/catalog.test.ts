import { defineTool } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { describe, expect, it } from 'vitest';
import { catalogScene, servers, tool } from './scene.ts';

describe('what is offered', () => {
  it('is every tool of every exposed server under its prefix, in the order of the manifest and of names', async () => {
    const scene = await catalogScene(servers(['zoo', 'bar']), { bar: [tool('echo')], zoo: [tool('b'), tool('a')] });
    expect(scene.names()).toEqual(['zoo__a', 'zoo__b', 'bar__echo']);
    expect(scene.catalog.get('bar__echo')?.source).toEqual({ kind: 'mcp', server: 'bar', tool: 'echo' });
  });

  it('keeps definitions unchanged, except for the name', async () => {
    const raw = tool('echo', { title: 'Echo', 'x-own': { deep: [1] }, annotations: { readOnlyHint: true, 'x-hint': 1 }, _meta: { a: 1 } });
    const { catalog } = await catalogScene(servers(['a']), { a: [raw] });
    expect(catalog.get('a__echo')?.definition).toEqual({ ...raw, name: 'a__echo' });
  });

  it('follows include, exclude, renames, descriptions and enabled', async () => {
    const source = `
version: 1
mcp_servers:
  git:
    command: nothing
    prefix: g
    include: ['repo_*', search]
    exclude: ['*_delete']
    tools:
      repo_read: { name: read_file, description: Reads a file. }
      repo_write: { enabled: false }
gateway: { tool_lock: off }
`;
    const lists = { git: ['repo_read', 'repo_write', 'repo_delete', 'search', 'other'].map((name) => tool(name)) };
    const { names, catalog } = await catalogScene(source, lists).then((scene) => ({ ...scene, names: scene.names() }));
    expect(names).toEqual(['read_file', 'g__search']);
    expect(catalog.get('read_file')?.definition).toMatchObject({ name: 'read_file', description: 'Reads a file.' });
    expect(catalog.get('read_file')?.tool).toMatchObject({ name: 'read_file', description: 'Reads a file.' });
  });

  it('leaves out servers that are not exposed, and sends them no request', async () => {
    const source = 'version: 1\nmcp_servers: { a: { command: x, expose: false } }\ngateway: { tool_lock: off }\n';
    const scene = await catalogScene(source, { a: [tool('echo')] });
    expect(scene.names()).toEqual([]);
    expect(scene.upstreams.get('a')?.requests).toEqual([]);
  });

  it('offers tools of other sources unchanged, except disabled ones', async () => {
    const mine = (name: string, enabled = true) => defineTool({ name, enabled, effect: 'read', run: () => 1 });
    const extra = [
      { tool: mine('api__get'), source: { kind: 'openapi', api: 'api', operation: 'get' }, definition: { name: 'api__get', 'x-own': 1 } },
      { tool: mine('off', false), source: { kind: 'tool' } },
      { tool: mine('a__echo'), source: { kind: 'openapi', api: 'b', operation: 'echo' } },
    ] as const;
    const scene = await catalogScene(servers(['a']), { a: [tool('echo')] }, { extra });
    expect(scene.names()).toEqual(['a__echo', 'api__get', expect.stringMatching(/^a__echo_[0-9a-f]{8}$/)]);
    expect(scene.catalog.get('api__get')?.definition).toEqual({ name: 'api__get', 'x-own': 1 });
    expect(scene.catalog.list()[2]?.tool.name).toBe(scene.names()[2]);
  });

  it('leaves out unreasonable definitions', async () => {
    let deep: unknown = {};
    for (let level = 0; level < 20_000; level++) deep = { properties: deep };
    const large = { enum: Array.from({ length: 30_000 }, (_, n) => n) };
    const list = [tool('deep', { inputSchema: deep }), tool('large', { inputSchema: large }), tool('good')];
    const scene = await catalogScene(servers(['a']), { a: list });
    expect(scene.names()).toEqual(['a__good']);
    expect(scene.notes.map(({ message }) => message)).toEqual([
      "Server 'a': the definition of 'deep' is nested too deeply: it is ignored.",
      "Server 'a': the definition of 'large' has more than 20000 values: it is ignored.",
    ]);
  });

  it('leaves out a definition of more than 100 levels or 20,000 values, and no smaller one', async () => {
    const nested = (levels: number): JsonObject => (levels === 0 ? {} : { p: nested(levels - 1) });
    const enums = (values: number): JsonObject => ({ enum: Array.from({ length: values }, (_, n) => n) });
    const list = [
      tool('deep', { inputSchema: nested(98) }),
      tool('too_deep', { inputSchema: nested(101) }),
      tool('large', { inputSchema: enums(19_900) }),
      tool('too_large', { inputSchema: enums(20_001) }),
    ];
    expect((await catalogScene(servers(['a']), { a: list })).names()).toEqual(['a__deep', 'a__large']);
  });

  it('survives listeners that throw', async () => {
    const scene = await catalogScene(servers(['a']), { a: [tool('one')] });
    scene.catalog.subscribe(() => {
      throw new Error('no');
    });
    let reported = 0;
    scene.catalog.subscribe(() => reported++);
    const upstream = scene.upstreams.get('a');
    if (upstream) upstream.tools = [];
    await scene.catalog.refresh('a');
    expect(reported).toBe(1);
    expect(scene.notes.map(({ message }) => message)).toEqual(['A listener failed for the new list of tools: no']);
  });

  it('reads all pages, and ends if a server never does', async () => {
    const scene = await catalogScene(servers(['a']), { a: [] });
    const upstream = scene.upstreams.get('a');
    if (upstream === undefined) throw new Error('no server');
    let page = 0;
    Object.assign(upstream.server, {
      request: (_method: string, params: { readonly cursor?: string }) => {
        page++;
        expect(params.cursor).toBe(page === 1 ? undefined : String(Math.min(page - 1, 5)));
        return Promise.resolve({ tools: [tool(`t${page}`)], nextCursor: String(Math.min(page, 5)) });
      },
    });
    await scene.catalog.refresh('a');
    expect(scene.names()).toEqual(['a__t1', 'a__t2', 'a__t3', 'a__t4', 'a__t5', 'a__t6']);
    expect(scene.notes.map(({ message }) => message)).toEqual(["Server 'a': its list of tools does not end: the rest is ignored."]);
  });

  it('reports tools without a name, duplicate names, and an invalid list', async () => {
    const scene = await catalogScene(servers(['a', 'b']), { a: [tool('x'), tool('x', { title: 'second' }), {}], b: 5 as never });
    expect(scene.names()).toEqual(['a__x']);
    expect(scene.catalog.get('a__x')?.definition['title']).toBeUndefined();
    expect(scene.notes.map(({ message }) => message).toSorted()).toEqual([
      "Server 'a': it lists 'x' twice: the first is used.",
      "Server 'a': it lists a tool without a name.",
      "Server 'b': its list of tools is not an array.",
    ]);
  });

  it('reports entries of the manifest for unknown tools', async () => {
    const source = 'version: 1\nmcp_servers: { a: { command: x, tools: { serach: { effect: read } } } }\ngateway: { tool_lock: off }\n';
    const { notes } = await catalogScene(source, { a: [tool('search')] });
    expect(notes[0]?.message).toBe("mcp_servers.a.tools.serach: the server has no such tool. Did you mean 'search'?");
  });
});

describe('tools of the manifest', () => {
  const source = `
version: 1
tools:
  - { id: local, description: Here., effect: read, run: { command: { command: echo } }, input_schema: { properties: { a: { type: string } } } }
  - { id: find, description: Finds., effect: read, run: { mcp: { server: a, tool: search } } }
mcp_servers: { a: { command: x } }
gateway: { tool_lock: off }
`;

  it("keep their names, and one that runs on a server replaces the server's tool", async () => {
    const scene = await catalogScene(source, { a: [tool('search', { outputSchema: { type: 'object' }, 'x-a': 1 }), tool('other')] });
    expect(scene.names()).toEqual(['local', 'find', 'a__other']);
    expect(scene.catalog.get('local')?.definition).toEqual({
      name: 'local',
      description: 'Here.',
      inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
      annotations: { readOnlyHint: true },
    });
    const find = scene.catalog.get('find');
    expect(find?.definition).toEqual({
      name: 'find',
      description: 'Finds.',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      'x-a': 1,
    });
    expect(find?.source).toEqual({ kind: 'mcp', server: 'a', tool: 'search' });
    expect(find?.tool.policy.effect).toBe('read');
  });

  it('are offered while their server is down', async () => {
    const scene = await catalogScene(source, { a: () => Promise.reject(new Error('down')) });
    expect(scene.names()).toEqual(['local', 'find']);
  });
});

describe('a list that changes', () => {
  it('is read again when the server announces a change; unchanged entries stay the same object', async () => {
    const scene = await catalogScene(servers(['a']), { a: [tool('one'), tool('two')] });
    const before = scene.catalog.list();
    let reported = 0;
    scene.catalog.subscribe(() => reported++);
    const upstream = scene.upstreams.get('a');
    if (upstream) upstream.tools = [tool('one'), tool('two', { description: 'new' }), tool('three')];
    scene.upstreams.notify('a', 'notifications/tools/list_changed');
    await scene.catalog.refresh('a');
    expect(scene.names()).toEqual(['a__one', 'a__three', 'a__two']);
    expect(scene.catalog.list()[0]).toBe(before[0]);
    expect(scene.catalog.get('a__two')).not.toBe(before[1]);
    expect(reported).toBe(1);
    const after = scene.catalog.list();
    await scene.catalog.refresh();
    expect(scene.catalog.list()).toBe(after);
    expect(reported).toBe(1);
  });

  it('is read again over a new connection, and not over the same one', async () => {
    const scene = await catalogScene(servers(['a']), { a: [tool('one')] });
    const upstream = scene.upstreams.get('a');
    if (upstream === undefined) throw new Error('no server');
    scene.upstreams.change('a');
    expect(upstream.requests).toHaveLength(1);
    upstream.state = { state: 'up', restarts: 1 };
    scene.upstreams.change('a');
    scene.upstreams.change('a');
    expect(upstream.requests).toHaveLength(2);
  });

  it('of one server is read once at a time, and once more for refreshes in the meantime', async () => {
    const scene = await catalogScene(servers(['a']), { a: [tool('one')] });
    const upstream = scene.upstreams.get('a');
    if (upstream === undefined) throw new Error('no server');
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    let asked = 0;
    upstream.tools = async () => {
      asked++;
      await gate;
      return [tool(`after-${asked}`)];
    };
    const refreshes = [scene.catalog.refresh('a'), scene.catalog.refresh('a'), scene.catalog.refresh('a')];
    open();
    await Promise.all(refreshes);
    expect(asked).toBe(2);
    expect(scene.names()).toEqual(['a__after-2']);
  });

  it('stays when it cannot be read, marked as degraded, and is retried in the background', async () => {
    const system = manualSystem();
    const scene = await catalogScene(servers(['a', 'b']), { a: [tool('one', { _meta: { own: 1 } })], b: [tool('two')] }, { system });
    const tools = scene.catalog.get('a__one')?.tool;
    const upstream = scene.upstreams.get('a');
    if (upstream === undefined) throw new Error('no server');
    upstream.tools = () => Promise.reject(new Error('it crashed'));
    await scene.catalog.refresh();
    expect(scene.catalog.get('a__one')).toMatchObject({ degraded: true, definition: { _meta: { own: 1, 'dev.holdfast/degraded': true } } });
    expect(scene.catalog.get('a__one')?.tool).toBe(tools);
    expect(scene.catalog.get('b__two')?.degraded).toBe(false);
    expect(scene.catalog.notes().map(({ message }) => message)).toEqual(["The tools of server 'a' cannot be listed: it crashed"]);
    expect(upstream.requests).toHaveLength(3);
    await system.advance(1000);
    expect(upstream.requests).toHaveLength(4);
    await system.advance(1999);
    expect(upstream.requests).toHaveLength(4);
    upstream.tools = [tool('one', { _meta: { own: 1 } })];
    await system.advance(1);
    expect(scene.catalog.get('a__one')?.degraded).toBe(false);
    expect(scene.catalog.get('a__one')?.definition['_meta']).toEqual({ own: 1 });
    expect(scene.catalog.notes()).toEqual([]);
    await scene.catalog.close();
    expect(system.pendingTimers).toBe(0);
    expect(scene.upstreams.listening).toBe(0);
  });

  it('of a slow server is waited for up to the limit, and added later', async () => {
    const system = manualSystem();
    let answer = (): void => {};
    const slow = new Promise<void>((resolve) => (answer = resolve));
    const scenes = catalogScene(
      servers(['a', 'b']),
      { a: () => slow.then(() => [tool('late')]), b: [tool('early')] },
      { system, readyMs: 50 },
    );
    await system.advance(49);
    let isReady = false;
    void scenes.then(() => (isReady = true));
    await system.settle();
    expect(isReady).toBe(false);
    await system.advance(1);
    const scene = await scenes;
    expect(scene.names()).toEqual(['b__early']);
    answer();
    await system.settle();
    expect(scene.names()).toEqual(['a__late', 'b__early']);
  });
});
