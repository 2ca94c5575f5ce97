/** What a program does with the connection through the client with Holdfast. */
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { join, textOf } from './support/connect-in-memory.ts';
import { textResult, versions } from './support/servers.ts';

describe.each(versions)('%s', (version) => {
  it('rejects at once with the error of the SDK after the program has closed the client, until it connects again', async () => {
    const { server, safe, call, callInConversation, callBare } = await join(version, [{ name: 'look', run: () => textResult('seen') }], {});
    await call('look');
    await safe.close();
    const thrown: unknown = await callBare('look').catch((error: unknown) => error);
    expect((thrown as Error).message).toMatch(/Not connected/);
    for (const calling of [call, callInConversation]) await expect(calling('look')).rejects.toEqual(thrown);
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far);
    await safe.connect(near as never);
    expect(textOf(await call('look'))).toBe('seen');
  });

  it('keeps the handlers that a program assigns as they are', async () => {
    const { safe, bare } = await join(version, []);
    const onclose = (): void => undefined;
    safe.onclose = onclose;
    expect(safe.onclose).toBe(onclose);
    expect(bare.onclose).toBe(onclose);
  });
});
