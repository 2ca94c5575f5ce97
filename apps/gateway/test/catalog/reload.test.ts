import { describe, expect, it } from 'vitest';
import { catalogScene, manifestOf, servers, tool } from './scene.ts';

describe('a reload', () => {
  it('applies the new manifest; unchanged servers are not read again', async () => {
    const scene = await catalogScene(servers(['a', 'b']), { a: [tool('one')], b: [tool('two')] });
    const one = scene.catalog.get('a__one');
    const next = manifestOf(
      'version: 1\nmcp_servers: { a: { command: nothing }, b: { command: nothing, prefix: bee } }\ngateway: { tool_lock: off }\n',
    );
    await scene.catalog.apply({ manifest: next, tools: [] });
    expect(scene.names()).toEqual(['a__one', 'bee__two']);
    expect(scene.catalog.get('a__one')).toBe(one);
  });

  it('forgets the list of a replaced server', async () => {
    const scene = await catalogScene(servers(['a']), { a: [tool('one')] });
    scene.upstreams.servers = [];
    const applied = scene.catalog.apply({
      manifest: manifestOf('version: 1\nmcp_servers: { a: { command: other } }\ngateway: { tool_lock: off }\n'),
      tools: [],
    });
    expect(scene.names()).toEqual([]);
    await applied;
    expect(scene.names()).toEqual([]);
  });
});
