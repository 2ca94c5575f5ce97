/** What the guide denies: limits of time, advice by effect, tools that come later, and what is passed on. */
import { describe, expect, it } from 'vitest';
import { join, quick, textOf } from './support/connect-in-memory.ts';
import type { ServedTool } from './support/servers.ts';
import { serve, textResult, versions } from './support/servers.ts';

describe.each(versions)('%s', (version) => {
  describe('the time limit', () => {
    it('is that of the SDK unless one is set, in every profile', async () => {
      const limitOf = async (options: object): Promise<unknown> => {
        const { safe } = await join(version, [{ name: 'one', run: () => '1' }], options);
        await safe.listTools();
        return safe.reliable.service.getToolSettings('one')?.timeoutMs;
      };
      const none = 2 ** 31 - 1;
      expect([await limitOf({}), await limitOf({ profile: 'spec' })]).toEqual([none, none]);
      expect(await limitOf({ profile: 'spec', policy: { timeoutMs: 7_000 } })).toBe(7_000);
      expect(await limitOf({ tools: { one: { timeoutMs: 7_000 } } })).toBe(7_000);
    });

    it('of a call applies too where another one is set: the shorter one ends the attempt', async () => {
      const hang = { name: 'hang', run: () => new Promise(() => {}) };
      const ended = async (settings: object, timeout: number): Promise<string> => {
        const { call } = await join(version, [hang], { tools: { hang: { ...settings, retry: { maxAttempts: 1 } } } });
        return textOf(await call('hang', {}, { timeout }));
      };
      expect(await ended({ timeoutMs: 60 }, 5_000)).toMatch(/^Error TOOL_TIMEOUT: Tool timeout after 60ms/);
      expect(await ended({ timeoutMs: 5_000 }, 60)).toMatch(/^Error TIMEOUT: .*Request timed out/);
      expect(await ended({ idleTimeoutMs: 5_000 }, 60)).toMatch(/^Error TIMEOUT: .*Request timed out/);
    });

    it('of the SDK is switched off where another one is set, and progress does not extend that one', async () => {
      const sent: { readonly timeout?: number }[] = [];
      const run: ServedTool['run'] = () => new Promise(() => {});
      const { bare, call } = await join(version, [{ name: 'long', run }], {
        tools: { long: { timeoutMs: 200, retry: { maxAttempts: 1 } } },
      });
      let progressed = 0;
      const given = bare.callTool.bind(bare) as unknown as (...args: unknown[]) => Promise<unknown>;
      bare.callTool = ((...args: unknown[]) => {
        const options = args.at(-1) as { readonly timeout?: number; readonly onprogress?: (progress: object) => void };
        sent.push(options);
        const report = (): void => options.onprogress?.({ progress: ++progressed });
        const timer = setInterval(report, 40);
        return given(...args).finally(() => clearInterval(timer));
      }) as never;
      const started = performance.now();
      expect(textOf(await call('long', {}, { onprogress: () => undefined }))).toMatch(/^Error TOOL_TIMEOUT: Tool timeout after 200ms/);
      expect(performance.now() - started).toBeLessThan(5_000);
      expect(sent[0]?.timeout).toBe(2 ** 31 - 1);
      expect(progressed).toBeGreaterThan(0);
    });

    it('of the SDK is switched off where a limit without progress is set', async () => {
      const limits: unknown[] = [];
      const { bare, call } = await join(version, [{ name: 'one', run: () => '1' }], { tools: { one: { idleTimeoutMs: 5_000 } } });
      const given = bare.callTool.bind(bare) as unknown as (...args: unknown[]) => Promise<unknown>;
      bare.callTool = ((...args: unknown[]) => {
        limits.push((args.at(-1) as { readonly timeout?: number }).timeout);
        return given(...args);
      }) as never;
      expect(textOf(await call('one'))).toBe('1');
      expect(limits).toEqual([2 ** 31 - 1]);
    });
  });

  describe('a failure that shows nothing about its cause', () => {
    const play = async (annotations: object | undefined) => {
      let runs = 0;
      const run = (): object => (runs++, { ...textResult('Seat 12A is taken'), isError: true });
      const { call, callInConversation } = await join(version, [{ name: 'book', ...(annotations && { annotations }), run }]);
      const alone = textOf(await call('book'));
      return { alone, sent: runs, inConversation: textOf(await callInConversation('book')) };
    };

    it('is the server’s own result after one attempt, and rewritten after two', async () => {
      expect(await play(undefined)).toMatchObject({ sent: 1, alone: 'Seat 12A is taken' });
      for (const annotations of [{ readOnlyHint: true }, { idempotentHint: true }]) {
        const { sent, alone } = await play(annotations);
        expect([sent, alone]).toEqual([2, expect.stringMatching(/^Error TOOL_ERROR: Tool error: Seat 12A is taken\n/)]);
      }
    });

    it('has the advice of its effect in a conversation', async () => {
      const check = /may have taken effect\. Check before you call it again\./;
      expect((await play(undefined)).inConversation).toMatch(check);
      expect((await play({ destructiveHint: true })).inConversation).toMatch(check);
      expect((await play({ idempotentHint: true })).inConversation).toMatch(/may have taken effect\. It is safe to call it again/);
      expect((await play({ readOnlyHint: true })).inConversation).not.toMatch(/may have taken effect/);
    });
  });

  it('settings of a tool that the server does not have yet take effect once it does', async () => {
    const { server, call, safe } = await join(version, [{ name: 'one', run: () => '1' }], {
      ...quick,
      tools: { later: { effect: 'read' } },
    });
    expect(textOf(await call('one'))).toBe('1');
    let runs = 0;
    const run = (): never => {
      runs += 1;
      throw new Error('socket hang up');
    };
    serve(server, { name: 'later', run });
    expect((await call('later')).isError).toBe(true);
    expect([runs, safe.reliable.service.getToolSettings('later')?.effect]).toEqual([3, 'read']);
  });

  it('a tool that the server does not list is not called, unless it lists none', async () => {
    const { bare, call } = await join(version, [{ name: 'one', run: () => '1' }]);
    bare.listTools = (() => Promise.resolve({ tools: [{ name: 'other', inputSchema: { type: 'object' } }] })) as never;
    expect(textOf(await call('one'))).toMatch(/^Error UNKNOWN_TOOL/);
    const empty = await join(version, [{ name: 'one', run: () => '1' }]);
    empty.bare.listTools = (() => Promise.resolve({ tools: [] })) as never;
    expect(textOf(await empty.call('one'))).toBe('1');
  });
});

it('`experimental` of v1 is that of the client', async () => {
  const { safe, bare } = await join('v1', []);
  expect(Reflect.get(safe, 'experimental')).toBe(Reflect.get(bare, 'experimental'));
  expect(Reflect.get(Reflect.get(safe, 'experimental') as object, 'tasks')).toBeDefined();
});
