/** The live stream of a whole gateway over a real connection: changes, a reconnect, and the end. */
import { expect, test } from 'vitest';
import type { LiveMessage, Overview } from '../../src/contract.ts';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { sentEvents } from '../api/kit.ts';
import { readWords } from '../fixtures/gateway.ts';

const tools = [{ id: 'fine', run: { command: { command: 'echo', args: ['{}'] } } }];

async function start(): Promise<{ readonly gateway: Gateway; readonly url: string }> {
  const gateway = await createGateway(readWords({ tools, store: false }, 'holdfast.yaml'), { log: 'off' });
  return { gateway, url: (await gateway.listen({ port: 0 })).url };
}

/** Reads the messages of a stream. */
async function listen(url: string, headers: Record<string, string> = {}) {
  const client = new AbortController();
  const response = await fetch(url, { headers, signal: client.signal });
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let isOver = false;
  const more = async (): Promise<void> => {
    const { value, done } = await reader.read();
    text += value ?? '';
    isOver = done;
  };
  return {
    headers: response.headers,
    /** Resolves with the first message that matches. */
    async waitFor(holds: (message: LiveMessage) => boolean): Promise<LiveMessage> {
      for (;;) {
        const whole = text.slice(0, text.lastIndexOf('\n\n') + 2);
        const found = sentEvents(whole).find(({ event, data }) => event === 'change' && holds(data as LiveMessage));
        if (found) return found.data as LiveMessage;
        if (isOver) throw new Error(`The stream has ended without it:\n${text}`);
        await more();
      }
    },
    async end(): Promise<string> {
      while (!isOver) await more();
      return text;
    },
    leave: () => client.abort(),
  };
}

test('changes are sent, a reconnect continues from the cursor, and the end has the cursor to continue', async () => {
  const { gateway, url } = await start();
  const overview = (await (await fetch(`${url}/v1/overview`)).json()) as Overview;
  const first = await listen(`${url}/v1/live?after=${overview.cursor}`);
  expect(first.headers.get('content-type')).toContain('text/event-stream');
  expect(first.headers.get('cache-control')).toBe('no-store');
  await gateway.service.executeTurn({ turnId: 'received', calls: [{ callId: 'a', toolName: 'fine' }] });
  const received = await first.waitFor(({ turns }) => turns.some(({ turn_id: id, state }) => id === 'received' && state === 'completed'));
  expect(received.tools.map(({ name }) => name)).toContain('fine');
  first.leave();

  await gateway.service.executeTurn({ turnId: 'missed', calls: [{ callId: 'a', toolName: 'fine' }] });
  const second = await listen(`${url}/v1/live?after=${overview.cursor}`, { 'last-event-id': received.cursor });
  const bridged = await second.waitFor(() => true);
  expect(bridged.reset).toBeUndefined();
  expect(bridged.turns.map(({ turn_id: id }) => id)).toEqual(['missed']);
  expect(bridged.alerts).toBeInstanceOf(Array);

  const ending = second.end();
  await gateway.close(1_000);
  expect(sentEvents(await ending).at(-1)).toMatchObject({
    event: 'resume',
    data: { reason: 'draining', cursor: expect.any(String) as string },
  });

  const next = await start();
  const restarted = await listen(`${next.url}/v1/live`, { 'last-event-id': bridged.cursor });
  expect(await restarted.waitFor(() => true)).toMatchObject({ reset: true, tools: [{ name: 'fine' }] });
  restarted.leave();
  await next.gateway.close(0);
});
