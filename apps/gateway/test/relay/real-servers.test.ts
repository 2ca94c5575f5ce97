/** The relay with real servers of both eras behind it and real hosts in front. */
import { createRequire } from 'node:module';
import { afterEach, describe, expect, test } from 'vitest';
import { textOf } from '../fixtures/client/raw-client.ts';
import { type ManifestWords, readWords, writeWords, startGateway, type GatewayInProcess } from '../fixtures/gateway.ts';
import { programServer, urlServer } from '../fixtures/manifests.ts';
import { referenceProgram } from '../fixtures/programs.ts';
import { startReferenceServer } from '../fixtures/reference/http.ts';
import { connectHost, type SdkHost } from '../fixtures/sdk-hosts.ts';

const eras = ['legacy', 'modern'] as const;
const watched = 'test://watched-resource';
const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

const open: AsyncDisposable[] = [];
const opened = <Value extends AsyncDisposable>(value: Value): Value => {
  open.unshift(value);
  return value;
};
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

const gatewayOf = async (servers: ManifestWords): Promise<GatewayInProcess> =>
  opened(await startGateway({ mcp_servers: servers, gateway: { reload: false } }));
const hostOf = async (era: (typeof eras)[number], { url }: { readonly url: string }): Promise<SdkHost> =>
  opened(await connectHost(era, { url }));
const until = (holds: () => boolean, what: string): Promise<void> => expect.poll(holds, { timeout: 15_000, message: what }).toBe(true);

describe.for(eras)('several servers and a %s host', (era) => {
  test('are merged: lists, requests to the right server, without one that hangs', async () => {
    const http = opened(await startReferenceServer('modern'));
    const gateway = await gatewayOf({
      hung: { command: 'sleep', args: ['100'] },
      one: programServer(referenceProgram, { ERA: 'legacy' }),
      two: urlServer(http.url),
    });
    const begin = performance.now();
    const host = await hostOf(era, gateway);
    expect(await host.readResource('test://static-text')).toBe('The content of the static text.');
    expect(await host.readResource('test://template/7/data')).toContain('Data for ID: 7');
    expect(await host.getPrompt('one__test_prompt_with_arguments', { arg1: 'a', arg2: 'b' })).toContain("arg1='a'");
    expect(await host.getPrompt('two__test_input_required_result_prompt')).toBe('Use this context: context of the host');
    expect(await host.getPrompt('one__test_input_required_result_prompt')).toBe('Use this context: context of the host');
    expect(await host.complete('two__test_prompt_with_arguments', 'par')).toEqual(['paris', 'park', 'party']);
    await expect(host.readResource('test://nowhere')).rejects.toThrow(/was not found, but MCP server hung is not connected/);
    await expect(host.getPrompt('three__x')).rejects.toThrow(/Unknown prompt/);
    expect(performance.now() - begin).toBeLessThan(20_000);
  });

  test('a watched resource is watched again after the server was killed', async () => {
    const gateway = await gatewayOf({ one: programServer(referenceProgram, { ERA: 'legacy' }, { prefix: '' }) });
    const host = await hostOf(era, gateway);
    await host.watch(watched);
    const { pid = 0, restarts } = gateway.gateway.upstreams()[0] ?? { restarts: -1 };
    process.kill(pid, 'SIGKILL');
    const status = (): { readonly state?: string; readonly restarts?: number } => gateway.gateway.upstreams()[0] ?? {};
    await until(() => status().state === 'up' && status().restarts === restarts + 1, 'reconnected');
    await touchUntilNotified(host);
  });

  test('a watched resource moves with its server at a reload, and clients are notified of changed lists', async () => {
    const words = (more: ManifestWords): ManifestWords => ({
      mcp_servers: { one: programServer(referenceProgram, { ERA: 'modern', ...more }, { prefix: '' }) },
      gateway: { reload: false },
    });
    const gateway = opened(await startGateway(words({})));
    const host = await hostOf(era, gateway);
    await host.watch(watched);
    const [before] = gateway.gateway.upstreams();
    await gateway.gateway.reload(readWords(words({ OTHER: '1' }), await writeWords(words({ OTHER: '1' }))));
    await until(() => host.received.includes('prompts changed'), 'changed prompts');
    await touchUntilNotified(host);
    const [after] = gateway.gateway.upstreams();
    expect(after?.pid).not.toBe(before?.pid);
    await until(() => !isAlive(before?.pid), 'the end of the old server');
  });
});

test('a server that has forgotten its sessions is watched again', async () => {
  const http = opened(await startReferenceServer('legacy'));
  const gateway = await gatewayOf({ one: urlServer(http.url, { prefix: '' }) });
  const host = await hostOf('legacy', gateway);
  await host.watch(watched);
  http.forgetSessions();
  expect(await host.readResource('test://static-text')).toBe('The content of the static text.');
  await host.call('touch_resource', { uri: watched });
  await until(() => host.received.includes(`updated ${watched}`), 'the update');
});

test('a server that asked for roots before a host was connected gets them later', async () => {
  const gateway = await gatewayOf({ everything: { command: process.execPath, args: [everything], prefix: '' } });
  await until(() => gateway.gateway.upstreams()[0]?.state === 'up', 'up');
  const host = await hostOf('legacy', gateway);
  await host.listTools();
  await until(() => host.asked.includes('roots/list'), 'the question');
  await expect.poll(async () => textOf(await host.call('get-roots-list'))).toContain('file:///home/of/the/host');
});

/** Touches the resource until the host is notified: a server is watched a little after it has connected. */
async function touchUntilNotified(host: SdkHost): Promise<void> {
  const touched = async (): Promise<readonly string[]> => {
    await host.call('touch_resource', { uri: watched });
    return host.received;
  };
  await expect.poll(touched, { timeout: 15_000 }).toContain(`updated ${watched}`);
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
