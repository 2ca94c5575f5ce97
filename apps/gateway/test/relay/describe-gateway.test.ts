import { describe, expect, test } from 'vitest';
import { connectedClient, quickest, world } from './fake-server.ts';

const described = (...parameters: Parameters<typeof world>) => world(...parameters).relay.describe(connectedClient());
const listChanged = { listChanged: true };

describe('the description of the gateway', () => {
  test('without servers: tools', async () => {
    expect(await described({})).toEqual({ serverInfo: { name: 'holdfast', version: '0.1.0' }, capabilities: { tools: listChanged } });
  });

  test('the merged capabilities of its servers', async () => {
    const { capabilities } = await described({
      one: { capabilities: { tools: {}, resources: {}, experimental: { x: {} }, extensions: { 'a/b': {} }, tasks: {} } },
      two: { capabilities: { resources: { subscribe: true }, logging: {}, completions: {} } },
      three: { capabilities: { prompts: {} } },
    });
    expect(capabilities).toEqual({
      tools: listChanged,
      resources: { listChanged: true, subscribe: true },
      prompts: listChanged,
      completions: {},
      logging: {},
    });
  });

  test('capabilities for a single server are declared only if there is one', async () => {
    const own = { experimental: { x: { y: 1 } }, extensions: { 'a/b': {} }, tasks: { list: {} }, 'vendor/z': {} };
    const { capabilities } = await described({ one: { capabilities: { ...own, resources: {} } }, hidden: {} }, { entry: hidden });
    expect(capabilities).toEqual({ ...own, tools: listChanged, resources: listChanged });
  });

  test('resources if results are kept', async () => {
    const { capabilities } = await described({ one: { capabilities: {} } }, { readSpilled: async () => undefined });
    expect(capabilities).toEqual({ tools: listChanged, resources: listChanged });
  });

  test('a server without a handshake in time may have every capability', async () => {
    const { capabilities } = await described({ mute: { greet: () => new Promise(() => {}) } }, { limits: { handshakeMs: 10 } });
    expect(capabilities).toEqual({
      tools: listChanged,
      resources: { listChanged: true, subscribe: true },
      prompts: listChanged,
      completions: {},
      logging: {},
    });
  });

  test('the wait for the handshake of a server is shared', async () => {
    const { relay } = world({ mute: { greet: () => new Promise(() => {}) } }, { limits: { handshakeMs: 600 } });
    await relay.describe(connectedClient());
    expect(await quickest(() => relay.describe(connectedClient()))).toBeLessThan(450);
  });

  test('the last handshake of a server is valid while it is down', async () => {
    const { relay, servers } = world({ one: { capabilities: { prompts: {} } } });
    await relay.describe(connectedClient());
    servers['one']?.fall();
    if (servers['one'] !== undefined) servers['one'].script = { greet: () => Promise.reject(new Error('down')) };
    expect((await relay.describe(connectedClient())).capabilities).toEqual({ tools: listChanged, prompts: listChanged });
  });
});

describe('instructions', () => {
  test('of one server unchanged, of several under their names, truncated', async () => {
    const capabilities = {};
    expect((await described({ one: { capabilities, instructions: 'Be quick.' } })).instructions).toBe('Be quick.');
    const { instructions } = await described({
      one: { capabilities, instructions: ' Be quick. ' },
      two: { capabilities },
      three: { capabilities, instructions: 'x'.repeat(9_000) },
    });
    expect(instructions).toBe(`# one\n\nBe quick.\n\n# three\n\n${'x'.repeat(8_000)}… (truncated)`);
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`s${n}`, { capabilities, instructions: 'x'.repeat(9_000) }]));
    expect((await described(many)).instructions?.length).toBeLessThan(32_020);
  });
});

const hidden = (name: string): string => (name === 'hidden' ? ', expose: false' : '');
