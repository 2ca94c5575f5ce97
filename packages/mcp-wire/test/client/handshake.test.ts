import { describe, expect, it } from 'vitest';
import { rejection } from './support/connections.ts';
import { fake, greetedBy, handshakes, settle } from './support/fake-stdio.ts';

describe('the handshake', () => {
  it('falls back to the other era on the same streams', async () => {
    const { to, received, say } = await greetedBy((message) =>
      message.method === 'initialize' ? { error: { code: -32_601, message: 'no' } } : { result: handshakes['server/discover'] },
    );
    expect(to.handshake).toMatchObject({ era: 'modern', serverInfo: {} });
    expect(received.map(({ method }) => method)).toEqual(['initialize', 'server/discover']);
    const asked = to.request('a', { _meta: { own: 1 }, x: 2 }, { clientInfo: { name: 'other' }, logLevel: 'error', onProgress: () => {} });
    await settle();
    expect(received.at(-1)?.params).toEqual({
      x: 2,
      _meta: {
        own: 1,
        progressToken: received.at(-1)?.id,
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'other' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
        'io.modelcontextprotocol/logLevel': 'error',
      },
    });
    say({ id: received.at(-1)?.id, result: {} });
    await asked;
  });

  it.each([
    ['refuses both', () => ({ error: { code: -32_601, message: 'never' } }), { code: -32_601 }],
    ['chooses an unknown version', () => ({ result: { protocolVersion: '1999-01-01' } }), { code: 'UNSUPPORTED_VERSION' }],
    ['does not answer', () => undefined, { code: 'HANDSHAKE_TIMEOUT', message: 'no answer to the handshake within 50 ms' }],
  ])('fails with the first error if the server %s', async (_what, answer, expected) => {
    expect(await rejection(greetedBy(answer, 50))).toMatchObject(expected);
  });

  it.each([
    ['refuses the modern era', () => ({ error: { code: -32_601, message: 'unknown method' } })],
    ['is silent in the modern era', () => undefined],
  ])('falls back to the legacy era if a server %s', { timeout: 20_000 }, async (_what, discovered) => {
    const { to, received } = await greetedBy(
      ({ method }) => (method === 'initialize' ? { result: handshakes['initialize'] } : discovered()),
      10_000,
      ['modern', 'legacy'],
    );
    expect(to.handshake).toMatchObject({ era: 'legacy', serverInfo: { name: 'fake' } });
    expect(received.map(({ method }) => method).filter((method) => !method?.startsWith('notifications/'))).toEqual([
      'server/discover',
      'initialize',
    ]);
  });

  it('fails with the legacy error if both eras fail', async () => {
    const answer = ({ method }: { readonly method?: string }) => ({ error: { code: -32_601, message: `no ${String(method)}` } });
    expect(await rejection(greetedBy(answer, 1_000, ['modern', 'legacy']))).toMatchObject({ message: 'no initialize' });
  });

  it('uses the version that the server requests', async () => {
    let asked = 0;
    const { to } = await greetedBy(({ method }) => {
      if (method === 'initialize') return { error: { code: -32_601, message: 'no' } };
      if (asked++ === 0) return { error: { code: -32_022, message: 'other', data: { supported: ['2026-07-28', '2025-11-25'] } } };
      return { result: handshakes['server/discover'] };
    });
    expect(to.handshake.protocolVersion).toBe('2026-07-28');
  });

  it('is aborted by the signal', async () => {
    const signal = AbortSignal.timeout(20);
    expect(await rejection(fake({ signal }, false))).toMatchObject({ name: 'TimeoutError' });
    expect(await rejection(fake({ signal }, false))).toMatchObject({ name: 'TimeoutError' });
  });
});
