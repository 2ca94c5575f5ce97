import { offeredName } from '@holdfast/manifest';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NameRequest, uniqueNames } from '../../src/catalog/names.ts';
import { catalogScene, servers, tool } from './scene.ts';

const rules = { separator: '__', maxLength: 64 };
const legal = /^[A-Za-z0-9_-]{1,64}$/;
const someName = fc.oneof(
  fc.string({ minLength: 1, maxLength: 90 }),
  fc.string({ unit: fc.constantFrom('a', '.', '_', 'ä', '-'), minLength: 1, maxLength: 90 }),
);
const things = fc.uniqueArray(fc.tuple(fc.constantFrom('', 'git', 'x'.repeat(70)), someName), {
  selector: ([prefix, own]) => `${prefix}\0${own}`,
  maxLength: 40,
});

const requestsOf = (pairs: readonly (readonly [string, string])[]): readonly NameRequest[] =>
  pairs.map(([prefix, own]) => ({ name: offeredName(prefix, own, rules), identity: `${prefix}\0${own}`, rank: 2 }));

describe('the names of what is offered', () => {
  it('are valid and unique', async () => {
    await fc.assert(
      fc.asyncProperty(things, async (pairs) => {
        const names = await uniqueNames(requestsOf(pairs), 64);
        expect(names.every((name) => legal.test(name))).toBe(true);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });

  it('are not those that are reserved', async () => {
    const requests = requestsOf([
      ['', 'find_tool'],
      ['', 'call_tool'],
      ['', 'other'],
    ]);
    const [find, call, other] = await uniqueNames(requests, 64, ['find_tool', 'call_tool']);
    expect([find, call]).toEqual([expect.stringMatching(/^find_tool_\w+$/), expect.stringMatching(/^call_tool_\w+$/)]);
    expect(other).toBe('other');
  });

  const named = (tools: string): ReturnType<typeof catalogScene> =>
    catalogScene(`version: 1\nmcp_servers: { a: { command: x, prefix: '' } }\ngateway: { tool_lock: off, tools: ${tools} }\n`, {
      a: [tool('find_tool'), tool('call_tool'), tool('echo')],
    });

  it('leave the names of the search to the gateway', async () => {
    const scene = await named('search');
    expect(scene.names().toSorted()).toEqual([expect.stringMatching(/^call_tool_\w+$/), 'echo', expect.stringMatching(/^find_tool_\w+$/)]);
    expect(scene.notes.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^'find_tool' is a tool of the gateway: 'find_tool' of server 'a' is offered as 'find_tool_\w+'\./),
    );
  });

  it('are free without a search', async () => {
    expect((await named('all')).names().toSorted()).toEqual(['call_tool', 'echo', 'find_tool']);
  });

  it('identify their tools', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(someName, { maxLength: 20 }), async (owns) => {
        const { catalog } = await catalogScene(servers(['git', 'x'.repeat(60)]), {
          git: owns.map((own) => tool(own)),
          ['x'.repeat(60)]: owns.map((own) => tool(own)),
        });
        const found = catalog.list().map(({ name, tool: { name: run } }) => {
          const source = catalog.get(name)?.source;
          expect(run).toBe(name);
          return source?.kind === 'mcp' ? `${source.server}\0${source.tool}` : '';
        });
        expect(found.toSorted()).toEqual(['git', 'x'.repeat(60)].flatMap((server) => owns.map((own) => `${server}\0${own}`)).toSorted());
      }),
      { numRuns: 30 },
    );
  });

  it('do not depend on the order, except for equal requests', async () => {
    await fc.assert(
      fc.asyncProperty(things, async (pairs) => {
        const requests = requestsOf(pairs);
        const names = await uniqueNames(requests, 64);
        const reversed = (await uniqueNames(requests.toReversed(), 64)).toReversed();
        const count = (name: string): number => requests.filter((request) => request.name === name).length;
        const alone = requests.flatMap(({ name }, index) => (count(name) === 1 && names[index] === name ? [index] : []));
        expect(alone.map((index) => reversed[index])).toEqual(alone.map((index) => names[index]));
      }),
    );
  });

  it('stay the same when another tool is added', async () => {
    await fc.assert(
      fc.asyncProperty(things, async (pairs) => {
        const requests = requestsOf(pairs);
        expect((await uniqueNames(requests, 64)).slice(0, -1)).toEqual(await uniqueNames(requests.slice(0, -1), 64));
      }),
    );
  });

  it('are assigned by rank, then by order', async () => {
    const requests = [
      { name: 'a', identity: '1', rank: 3 },
      { name: 'a', identity: '2', rank: 2 },
      { name: 'a', identity: '3', rank: 2 },
      { name: 'a', identity: '4', rank: 0 },
    ];
    const names = await uniqueNames(requests, 64);
    expect(names[3]).toBe('a');
    expect(names.slice(0, 3).every((name) => /^a_[0-9a-f]{8}$/.test(name))).toBe(true);
    expect((await uniqueNames(requests.slice(0, 3), 64))[1]).toBe('a');
  });

  it('are reported if they differ from the requested ones', async () => {
    const { names, notes } = await catalogScene(servers(['a']), { a: [tool('x.y'), tool('x_y')] }).then((scene) => ({
      names: scene.names(),
      notes: scene.notes,
    }));
    expect(names[1]).toBe('a__x_y');
    expect(names[0]).toMatch(/^a__x_y_[0-9a-f]{8}$/);
    expect(notes[0]?.message).toBe(
      `Two tools have the name 'a__x_y': 'x.y' of server 'a' is offered as '${names[0] ?? ''}'. Set a name or a prefix for one of them.`,
    );
  });
});
