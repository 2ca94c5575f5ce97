/** Time limits, cancellations, and questions to the host: the same for clients of both SDKs. */
import { UrlElicitationRequiredError } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { join, quick, textOf } from './support/connect-in-memory.ts';
import type { ServedTool } from './support/servers.ts';
import { versions } from './support/servers.ts';

/** The token of the first request that asks for progress. */
function progressTokenOf({ server }: Awaited<ReturnType<typeof join>>['server']): () => unknown {
  const { transport } = server;
  let token: unknown;
  transport!.onmessage = ((given) => (message, extra) => {
    const { params } = message as { readonly params?: { readonly _meta?: { readonly progressToken?: unknown } } };
    token ??= params?._meta?.progressToken;
    given?.(message, extra);
  })(transport!.onmessage);
  return () => token;
}

describe.each(versions)('%s', (version) => {
  describe('time', () => {
    it('that is exceeded is reported, and the server is asked to stop', async () => {
      let toolSignal: AbortSignal | undefined;
      const run: ServedTool['run'] = (_, { signal }) => {
        toolSignal = signal;
        return new Promise(() => {});
      };
      const { call } = await join(version, [{ name: 'hang', run }], {
        ...quick,
        // Long enough for a busy machine to have reached the server.
        tools: { hang: { timeoutMs: 300, retry: { maxAttempts: 1 } } },
      });
      expect(textOf(await call('hang'))).toMatch(/^Error \w*TIMEOUT\w*: /);
      await expect.poll(() => toolSignal?.aborted).toBe(true);
    });

    it('of the SDK applies if none is set here', async () => {
      const { call } = await join(version, [{ name: 'hang', annotations: { destructiveHint: true }, run: () => new Promise(() => {}) }]);
      const result = await call('hang', {}, { timeout: 60 });
      expect(textOf(result)).toMatch(/timed out/);
      expect(result.isError).toBe(true);
    });

    it('restarts at every progress notification, if the caller requests it', async () => {
      const run: ServedTool['run'] = async (_, { notify }) => {
        for (let step = 1; step <= 5; step++) {
          await new Promise((resolve) => setTimeout(resolve, 150));
          await notify({ method: 'notifications/progress', params: { progressToken: token(), progress: step } });
        }
        return 'at last';
      };
      let token = (): unknown => undefined;
      const { call, server } = await join(version, [{ name: 'long', run }]);
      token = progressTokenOf(server);
      const seen: number[] = [];
      const result = await call(
        'long',
        {},
        // Together they take longer, each far less: a busy machine may add to it.
        { timeout: 600, resetTimeoutOnProgress: true, onprogress: ({ progress }) => seen.push(progress) },
      );
      expect(textOf(result)).toBe('at last');
      expect(seen).toEqual([1, 2, 3, 4, 5]);
    });
  });

  describe('a limit without progress', () => {
    const idle = { tools: { long: { idleTimeoutMs: 400, retry: { maxAttempts: 1 } } } };

    it('is asked of the server, and ends a call that reports none', async () => {
      const run: ServedTool['run'] = () => new Promise(() => {});
      const { call, server } = await join(version, [{ name: 'long', run }], idle);
      const token = progressTokenOf(server);
      const result = await call('long');
      expect(textOf(result)).toContain('Tool timeout: no progress for 400ms');
      expect(token()).toBeDefined();
    });

    it('starts again with every notification, which the caller gets, too', async () => {
      let token = (): unknown => undefined;
      const run: ServedTool['run'] = async (_, { notify }) => {
        for (let step = 1; step <= 6; step++) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          await notify({ method: 'notifications/progress', params: { progressToken: token(), progress: step } });
        }
        return 'at last';
      };
      const { call, server } = await join(version, [{ name: 'long', run }], { tools: { long: { idleTimeoutMs: 550 } } });
      token = progressTokenOf(server);
      const seen: number[] = [];
      expect(textOf(await call('long', {}, { onprogress: ({ progress }) => seen.push(progress) }))).toBe('at last');
      expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    });
  });

  describe('what does not count as a failure', () => {
    it('a cancelled call is answered at once, with the error of the SDK, or with the reason if it was not sent', async () => {
      let toolSignal: AbortSignal | undefined;
      const controller = new AbortController();
      const reason = new Error('enough');
      const run: ServedTool['run'] = (_, { signal }) => {
        toolSignal = signal;
        setTimeout(() => controller.abort(reason), 0);
        return new Promise(() => {});
      };
      const { call, safe } = await join(version, [{ name: 'hang', run }]);
      const rejected = call('hang', {}, { signal: controller.signal });
      await expect(rejected).rejects.toMatchObject(
        version === 'v1'
          ? { code: -32_001, message: 'MCP error -32001: Error: enough' }
          : { code: 'REQUEST_TIMEOUT', message: 'Error: enough' },
      );
      await expect.poll(() => toolSignal?.aborted).toBe(true);
      expect(safe.reliable.service.getToolHealth('hang')?.circuit).toBe('closed');
      await expect(call('hang', {}, { signal: controller.signal })).rejects.toBe(reason);
    });

    it('a call that is cancelled while the tools are listed is answered, too', async () => {
      const { bare, call } = await join(version, [{ name: 'one', run: () => '1' }]);
      let asked = 0;
      const controller = new AbortController();
      bare.listTools = (): Promise<never> => {
        asked += 1;
        setTimeout(() => controller.abort(new Error('enough')), 0);
        return new Promise(() => {});
      };
      await expect(call('one', {}, { signal: controller.signal })).rejects.toThrow('enough');
      expect(asked).toBe(1);
    });

    it('a question to the host is passed to the host', async () => {
      let runs = 0;
      const run = (): never => {
        runs += 1;
        throw new UrlElicitationRequiredError([{ mode: 'url', message: 'Sign in', url: 'https://example.com', elicitationId: '1' }]);
      };
      const { call, safe } = await join(version, [{ name: 'signed', annotations: { readOnlyHint: true }, run }]);
      for (let times = 1; times <= 6; times++) await expect(call('signed')).rejects.toMatchObject({ code: -32_042 });
      expect(runs).toBe(6);
      expect(safe.reliable.service.getToolHealth('signed')?.circuit).toBe('closed');
    });
  });
});
