/** Which clients are notified of changed lists while they are kept apart. */
import { expect, test } from 'vitest';
import { type Access, undividedAccess } from '../../src/access/access.ts';
import { createChanges } from '../../src/relay/changes.ts';
import { defaultLimits } from '../../src/relay/limits.ts';
import { createMayUse, type ListedTool } from '../../src/relay/server-access.ts';
import type { Upstream } from '../../src/upstreams/upstream.ts';
import { connectedClient, until } from './fake-server.ts';

const listed = (name: string): ListedTool => ({ name, source: { kind: 'mcp', server: name.split('__')[0] as string } });
const upstream = (name: string) => ({ name, isExposed: true }) as Upstream;
const bob: Access = { ...undividedAccess('bob'), owner: 'bob', allowsAll: false, allows: (tool) => tool.startsWith('open__') };
const client = connectedClient({ access: bob });
const all = connectedClient({ access: { ...undividedAccess('alice'), owner: 'alice' } });

function scene(keepsApart = true) {
  let tools: readonly ListedTool[] = [listed('open__a'), listed('secret__a')];
  const published: { readonly method: string; readonly bob: boolean; readonly all: boolean }[] = [];
  const changes = createChanges({
    upstreams: { exposed: () => [upstream('open'), upstream('secret')] },
    lists: { refresh: () => Promise.resolve() },
    logNames: { withServerName: (_upstream, _method, params) => params },
    requestLogs: { receive: () => {}, soleOwner: () => undefined },
    keepsApart: () => keepsApart,
    mayUse: createMayUse(() => tools),
    tools: () => tools,
    limits: { ...defaultLimits, gatherMs: 1 },
    publish: (method, _params, isFor = () => true) => published.push({ method, bob: isFor(client), all: isFor(all) }),
  });
  return {
    changes,
    published,
    offer: (...names: readonly string[]) => {
      tools = [...tools.slice(0, 1), ...names.map(listed)];
      changes.toolsChanged();
    },
    next: async () => {
      await until(() => published.length > 0);
      return published.pop();
    },
  };
}

test('a client is not notified of lists in which nothing is for it', async () => {
  const { changes, next, offer } = scene();
  changes.listChanged('prompts', upstream('secret'));
  expect(await next()).toEqual({ method: 'notifications/prompts/list_changed', bob: false, all: true });
  changes.receive(upstream('open'), 'notifications/resources/list_changed', {});
  expect(await next()).toEqual({ method: 'notifications/resources/list_changed', bob: true, all: true });
  changes.listChanged('resources');
  expect(await next()).toMatchObject({ bob: true });
  offer('secret__b');
  expect(await next()).toEqual({ method: 'notifications/tools/list_changed', bob: false, all: true });
  changes.toolsChanged();
  expect(await next()).toMatchObject({ bob: false, all: true });
  offer('secret__b', 'open__b');
  expect(await next()).toMatchObject({ bob: true, all: true });
  offer('secret__b');
  expect(await next()).toMatchObject({ bob: true, all: true });
  offer(...Array.from({ length: 30 }, (_, index) => `secret__${index}`));
  expect(await next()).toMatchObject({ bob: true, all: true });
});

test('changes that are sent together concern the clients of each', async () => {
  const { changes, next } = scene();
  changes.listChanged('prompts', upstream('secret'));
  changes.listChanged('prompts', upstream('open'));
  expect(await next()).toMatchObject({ bob: true });
});

test('without clients to keep apart, all are notified', async () => {
  const { changes, next } = scene(false);
  changes.listChanged('prompts', upstream('secret'));
  expect(await next()).toMatchObject({ bob: true, all: true });
});
