import { describe, expect, test } from 'vitest';
import { undividedAccess } from '../../src/access/access.ts';
import {
  clientRequest,
  connectedClient,
  fakeServer,
  keys,
  never,
  prompts,
  quickest,
  resources,
  templates,
  until,
  world,
} from './fake-server.ts';

const list = (method: string, params = {}): ReturnType<typeof clientRequest> => clientRequest(method, params);

describe('resources/list', () => {
  test('merges the servers in the order of the manifest, with unchanged entries', async () => {
    const { relay } = world({
      b: { answers: { 'resources/list': resources('b://1') } },
      a: { answers: { 'resources/list': resources('a://1', 'a://2') } },
    });
    const result = await relay.handle(list('resources/list'));
    expect(result['resources']).toEqual([
      { uri: 'b://1', name: 'b://1', 'x-kept': true },
      { uri: 'a://1', name: 'a://1', 'x-kept': true },
      { uri: 'a://2', name: 'a://2', 'x-kept': true },
    ]);
    expect(result['_meta']).toBeUndefined();
  });

  test('offers a URI once, from the first server, and reports it once', async () => {
    const { relay, faults } = world({
      one: { answers: { 'resources/list': resources('same://x') } },
      two: { answers: { 'resources/list': resources('same://x', 'two://y') } },
    });
    await relay.handle(list('resources/list'));
    const result = await relay.handle(list('resources/list'));
    expect(keys(result, 'resources', 'uri')).toEqual(['same://x', 'two://y']);
    expect(faults.map(({ upstream, error }) => [upstream, String(error)])).toEqual([
      ['two', 'Error: same://x is offered from MCP server one: the one from MCP server two is hidden'],
    ]);
  });

  test('asks no server without resources, and none that is not exposed', async () => {
    const { relay, servers } = world(
      {
        tools: { capabilities: { tools: {} } },
        hidden: { answers: { 'resources/list': resources('h://1') } },
        shown: { answers: { 'resources/list': resources('s://1') } },
      },
      { entry: (name) => (name === 'hidden' ? ', expose: false' : '') },
    );
    expect(keys(await relay.handle(list('resources/list')), 'resources', 'uri')).toEqual(['s://1']);
    expect([servers['tools']?.methods(), servers['hidden']?.methods()]).toEqual([[], []]);
  });

  test('follows the pages of a server to the end', async () => {
    const pages: Record<string, object> = {
      first: { resources: [{ uri: 'p://1' }], nextCursor: 'second' },
      second: { resources: [{ uri: 'p://2' }], nextCursor: 'third' },
      third: { resources: [{ uri: 'p://3' }] },
    };
    const { relay, servers } = world({
      paged: { answers: { 'resources/list': ({ cursor }) => ({ ...pages[typeof cursor === 'string' ? cursor : 'first'] }) } },
    });
    expect(keys(await relay.handle(list('resources/list')), 'resources', 'uri')).toEqual(['p://1', 'p://2', 'p://3']);
    expect(servers['paged']?.received.map(({ params }) => params['cursor'])).toEqual([undefined, 'second', 'third']);
  });

  test('pages that repeat, never end, or are very long are truncated and reported', async () => {
    let page = 0;
    const { relay, faults } = world(
      {
        circle: { answers: { 'resources/list': { resources: [{ uri: 'c://1' }], nextCursor: 'again' } } },
        endless: { answers: { 'resources/list': () => ({ resources: [{ uri: `e://${page}` }], nextCursor: `${page++}` }) } },
        long: {
          answers: {
            'resources/list': () => ({ resources: Array.from({ length: 60 }, (_, n) => ({ uri: `l://${n}` })), nextCursor: `${page++}` }),
          },
        },
      },
      { limits: { pages: 5, entries: 50 } },
    );
    const uris = keys(await relay.handle(list('resources/list')), 'resources', 'uri').map((uri) => String(uri).slice(0, 1));
    expect(uris.filter((uri) => uri === 'c')).toHaveLength(1);
    expect(uris.filter((uri) => uri === 'e')).toHaveLength(5);
    expect(uris.filter((uri) => uri === 'l')).toHaveLength(50);
    expect(faults.map(({ upstream, error }) => `${upstream}: ${String(error)}`).toSorted()).toEqual([
      'circle: Error: The list was truncated: its pages repeat',
      'endless: Error: The list was truncated: it has more than 5 pages',
      'long: Error: The list was truncated: it has more than 50 entries',
    ]);
  });

  test('a very large list is truncated and reported, once', async () => {
    const { relay, faults } = world(
      {
        large: { answers: { 'resources/list': { resources: [{ uri: 'l://1', text: 'x'.repeat(2_000) }] } } },
        small: { answers: { 'resources/list': resources('s://1') } },
      },
      { limits: { chars: 1_000 } },
    );
    for (let n = 0; n < 3; n++) expect(keys(await relay.handle(list('resources/list')), 'resources', 'uri')).toEqual(['s://1']);
    expect(faults.map(({ error }) => String(error))).toEqual(['Error: The list was truncated: it has more than 1000 characters']);
  });

  test('of the only server keeps its other fields', async () => {
    const answers = { 'resources/list': { resources: [], resultType: 'complete', 'com.example/x': 1, _meta: { y: 2 } } };
    expect(await world({ one: { answers } }).relay.handle(list('resources/list'))).toEqual({
      resources: [],
      'com.example/x': 1,
      _meta: { y: 2 },
      ttlMs: 0,
      cacheScope: 'private',
    });
    expect(await world({ one: { answers }, two: {} }).relay.handle(list('resources/list'))).toEqual({
      resources: [],
      ttlMs: 0,
      cacheScope: 'private',
    });
  });

  test('invalid entries are left out', async () => {
    const { relay } = world({ odd: { answers: { 'resources/list': { resources: [null, 1, {}, { uri: 2 }, { uri: 'o://1' }, []] } } } });
    expect((await relay.handle(list('resources/list')))['resources']).toEqual([{ uri: 'o://1' }]);
  });

  test('an invalid list is empty', async () => {
    const { relay } = world({ odd: { answers: { 'resources/list': { resources: 'many' } } } });
    expect((await relay.handle(list('resources/list')))['resources']).toEqual([]);
  });

  test('merged pages: complete and in order', async () => {
    const { relay, servers } = world(
      { many: { answers: { 'resources/list': resources('m://1', 'm://2', 'm://3', 'm://4', 'm://5') } } },
      { limits: { pageSize: 2 } },
    );
    const uris: unknown[] = [];
    let cursor: unknown;
    do {
      const result = await relay.handle(list('resources/list', cursor === undefined ? {} : { cursor }));
      uris.push(...keys(result, 'resources', 'uri'));
      cursor = result['nextCursor'];
    } while (cursor !== undefined);
    expect(uris).toEqual(['m://1', 'm://2', 'm://3', 'm://4', 'm://5']);
    expect(servers['many']?.methods()).toEqual(['resources/list']);
  });

  test.each(['', 'x', 'YXQ6eA', 7, 'a'.repeat(100), null])('refuses the cursor %j', async (cursor) => {
    const { relay } = world({ one: { answers: { 'resources/list': resources('o://1') } } });
    await expect(relay.handle(list('resources/list', { cursor }))).rejects.toMatchObject({ code: -32_602 });
  });

  test('a cursor beyond the end is an empty last page', async () => {
    const { relay } = world({ one: { answers: { 'resources/list': resources('o://1') } } });
    const cursor = Buffer.from('at:99').toString('base64url');
    expect(await relay.handle(list('resources/list', { cursor }))).toMatchObject({ resources: [] });
  });
});

describe('a server that does not answer', () => {
  test('is left out if its list is not known; the others are listed within the limit, and clients are notified of its list later', async () => {
    let release = (): void => {};
    const waiting = new Promise<void>((resolve) => (release = resolve));
    const { relay, published } = world(
      {
        slow: {
          answers: {
            async 'resources/list'() {
              await waiting;
              return { resources: [{ uri: 's://1' }] };
            },
          },
        },
        quick: { answers: { 'resources/list': resources('q://1') } },
      },
      { limits: { unknownListMs: 30 } },
    );
    const result = await relay.handle(list('resources/list'));
    expect(keys(result, 'resources', 'uri')).toEqual(['q://1']);
    expect(result).toMatchObject({ ttlMs: 0, cacheScope: 'private', _meta: { 'dev.holdfast/degraded': ['slow'] } });
    expect(published).toEqual([]);
    release();
    await until(() => published.length > 0);
    expect(published).toEqual([{ method: 'notifications/resources/list_changed', params: {} }]);
    const later = await relay.handle(list('resources/list'));
    expect(keys(later, 'resources', 'uri')).toEqual(['s://1', 'q://1']);
    expect(later['_meta']).toBeUndefined();
  });

  test('is asked once at a time, and the wait for it is shared', async () => {
    const { relay, servers } = world({ hung: { answers: { 'resources/list': never } } }, { limits: { unknownListMs: 600 } });
    await Promise.all([relay.handle(list('resources/list')), relay.handle(list('resources/list'))]);
    expect(await quickest(() => relay.handle(list('resources/list')))).toBeLessThan(450);
    expect(servers['hung']?.methods()).toEqual(['resources/list']);
  });

  test('keeps its last list while it hangs or fails', async () => {
    const { relay, servers, faults } = world(
      { one: { answers: { 'resources/list': resources('o://1') } } },
      { limits: { knownListMs: 20 } },
    );
    await relay.handle(list('resources/list'));
    const server = servers['one'] ?? fakeServer({});
    server.script = { answers: { 'resources/list': () => Promise.reject(new Error('broken')) } };
    const failed = await relay.handle(list('resources/list'));
    expect(failed).toMatchObject({ resources: [{ uri: 'o://1' }], ttlMs: 0, _meta: { 'dev.holdfast/degraded': ['one'] } });
    expect(faults.map(({ operation }) => operation)).toEqual(['resources/list']);
    server.script = { answers: { 'resources/list': never } };
    expect(await relay.handle(list('resources/list'))).toMatchObject({ resources: [{ uri: 'o://1' }] });
  });

  test('that hangs in the handshake is left out too', async () => {
    const { relay } = world(
      { mute: { greet: () => new Promise(() => {}) }, quick: { answers: { 'resources/list': resources('q://1') } } },
      { limits: { unknownListMs: 20 } },
    );
    expect(keys(await relay.handle(list('resources/list')), 'resources', 'uri')).toEqual(['q://1']);
  });

  test('that exceeds the time for all pages keeps its last list', async () => {
    const { relay, faults } = world({ one: { answers: { 'resources/list': never } } }, { limits: { listMs: 20, unknownListMs: 500 } });
    expect(await relay.handle(list('resources/list'))).toMatchObject({ resources: [] });
    expect(faults.map(({ error }) => (error as Error).message)).toEqual(['MCP server one: no answer within 20 ms']);
  });
});

describe('the caching hints of a list', () => {
  const cached = (ttlMs: unknown, cacheScope: unknown) => ({
    answers: { 'resources/list': { resources: [], ttlMs, cacheScope } as object as never },
  });

  test.each([
    ['the shortest and narrowest', [cached(5_000, 'public'), cached(900, 'private')], { ttlMs: 900, cacheScope: 'private' }],
    ['public if all are', [cached(5_000, 'public'), cached(900, 'public')], { ttlMs: 900, cacheScope: 'public' }],
    ['not cacheable if one has no hint', [cached(5_000, 'public'), cached(undefined, undefined)], { ttlMs: 0, cacheScope: 'private' }],
    ['not cacheable for invalid values', [cached(-4, 'public')], { ttlMs: 0, cacheScope: 'private' }],
    ['a whole number', [cached(12.7, 'else')], { ttlMs: 12, cacheScope: 'private' }],
  ] as const)('%s', async (_title, scripts, expected) => {
    const { relay } = world(Object.fromEntries(scripts.map((script, index) => [`s${index}`, script])));
    expect(await relay.handle(list('resources/list'))).toMatchObject(expected);
  });

  test('a server without resources has no effect', async () => {
    const { relay } = world({ tools: { capabilities: {} }, one: cached(700, 'public') });
    expect(await relay.handle(list('resources/list'))).toMatchObject({ ttlMs: 700, cacheScope: 'public' });
  });

  const methods = ['resources/list', 'resources/templates/list', 'prompts/list'];
  const hinted = (field: string) => ({ [field]: [], ttlMs: 700, cacheScope: 'public' }) as object as never;
  const allCached = {
    answers: {
      'resources/list': hinted('resources'),
      'resources/templates/list': hinted('resourceTemplates'),
      'prompts/list': hinted('prompts'),
    },
  };
  const limited = connectedClient({ access: { ...undividedAccess('ada'), allowsAll: false, allows: (name: string) => name === 'one__a' } });
  const tools = [{ name: 'one__a', source: { kind: 'mcp', server: 'one' } }];
  const isolated = (): string => ', isolation: per_session';

  test.each([
    ['for clients that are kept apart', { keepsApart: () => true }, {}],
    ['for a client that may not use all tools', { tools }, { client: limited }],
    ['of an isolated server', { entry: isolated }, {}],
  ])('%s are private', async (_title, options, more) => {
    const { relay } = world({ one: allCached }, options);
    for (const method of methods)
      expect(await relay.handle(clientRequest(method, {}, more))).toMatchObject({ ttlMs: 700, cacheScope: 'private' });
  });

  test('are those of the servers for clients that are not kept apart', async () => {
    const { relay } = world({ one: allCached }, { keepsApart: () => false, tools });
    for (const method of methods) expect(await relay.handle(clientRequest(method))).toMatchObject({ ttlMs: 700, cacheScope: 'public' });
  });

  test('a fresh list is not requested again until the server announces a change', async () => {
    const { relay, servers, published } = world({ one: cached(60_000, 'public') });
    await relay.handle(list('resources/list'));
    await relay.handle(list('resources/list'));
    expect(servers['one']?.methods()).toEqual(['resources/list']);
    servers['one']?.notification('notifications/resources/list_changed');
    await until(() => published.length > 0);
    await relay.handle(list('resources/list'));
    expect(servers['one']?.methods()).toEqual(['resources/list', 'resources/list']);
  });
});

describe('other lists', () => {
  test("templates, including the gateway's own for results", async () => {
    const { relay } = world(
      { one: { answers: { 'resources/templates/list': templates('o://{id}') } } },
      { readSpilled: async () => undefined },
    );
    const result = await relay.handle(list('resources/templates/list'));
    expect(keys(result, 'resourceTemplates', 'uriTemplate')).toEqual(['o://{id}', 'holdfast://results/{id}{?offset,limit}']);
  });

  test('a server that has resources but not the method has no templates', async () => {
    const { relay, faults } = world({ one: {} });
    expect(await relay.handle(list('resources/templates/list'))).toMatchObject({ resourceTemplates: [] });
    expect(faults).toEqual([]);
  });

  test('prompts have the prefix of their server, or none, and unique names', async () => {
    const { relay } = world(
      {
        files: { answers: { 'prompts/list': prompts('review', 'a b') } },
        bare: { answers: { 'prompts/list': prompts('a b', 'files__review') } },
      },
      { entry: (name) => (name === 'bare' ? ", prefix: ''" : '') },
    );
    const names = keys(await relay.handle(list('prompts/list')), 'prompts', 'name');
    expect(names.slice(0, 3)).toEqual(['files__review', 'files__a_b', 'a b']);
    expect(names[3]).toMatch(/^files__review_[0-9a-f]{8}$/);
  });
});
