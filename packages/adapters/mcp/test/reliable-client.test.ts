/** A client of either SDK with an in-memory server. */
import { Client } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { describe, expect, it } from 'vitest';
import type { Joined } from './support/connect-in-memory.ts';
import { join, quick, textOf } from './support/connect-in-memory.ts';
import type { ServedTool } from './support/servers.ts';
import { answerRaw, serve, textResult, versions } from './support/servers.ts';

const citySchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const busy = (): never => {
  throw new Error('Service unavailable (503)');
};

describe.each(versions)('%s', (version) => {
  describe('results', () => {
    it('of successful calls are unchanged', async () => {
      const full = {
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        ],
        structuredContent: { a: [1] },
        _meta: { cost: 3 },
      };
      const { call, callBare } = await join(version, [{ name: 'full', run: () => full }]);
      expect(await call('full')).toEqual(await callBare('full'));
      expect(await call('full')).toMatchObject(full);
    });

    const noPage = {
      content: [
        { type: 'text', text: 'No such page' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
      structuredContent: { page: 7 },
      _meta: { trace: 'abc' },
      isError: true,
      vendor: { code: 3 },
    };

    it('of failures have a text in a conversation; all other fields are kept', async () => {
      const { callInConversation } = await join(version, [{ name: 'open', run: () => noPage }]);
      const result = await callInConversation('open');
      expect(result).toMatchObject({ isError: true, structuredContent: { page: 7 }, _meta: { trace: 'abc' }, vendor: { code: 3 } });
      expect(textOf(result)).toMatch(/^Error \w+: .*No such page[^]*\n\[image\]$/);
    });

    it('of failures without evidence of a cause are those of the server, where there is no conversation', async () => {
      const taken = { ...noPage, content: [{ type: 'text', text: 'Seat 12A is taken' }] };
      const { call, callBare } = await join(version, [{ name: 'book', run: () => taken }]);
      expect(await call('book')).toEqual(await callBare('book'));
      expect(textOf(await call('book'))).toBe('Seat 12A is taken');
    });

    it('of such failures of a tool that is declared unsafe are followed by the advice that it may have taken effect', async () => {
      const lost = { ...noPage, content: [{ type: 'text', text: 'Seat 12A is taken' }] };
      const tool = { name: 'book', annotations: { destructiveHint: true }, run: () => lost };
      const { call, callBare } = await join(version, [tool]);
      const { content, ...others } = await callBare('book');
      const result = await call('book');
      expect(result).toMatchObject(others);
      expect(result.content.slice(0, -1)).toEqual(content);
      expect(result.content.at(-1)).toMatchObject({ text: expect.stringMatching(/^Next: .*may have taken effect/) as string });
      const ignoring = await join(version, [tool], { ...quick, annotations: 'ignore' });
      expect(await ignoring.call('book')).toEqual(await ignoring.callBare('book'));
    });

    it('of failures that Holdfast has acted on have a text also there', async () => {
      const { call } = await join(version, [{ name: 'busy', run: busy }]);
      expect(textOf(await call('busy'))).toMatch(/^Error \w+: .*Service unavailable/);
    });

    const booking = async (
      structuredContent: object | undefined,
      annotations?: object,
    ): Promise<Joined & { readonly booked: () => number }> => {
      const outputSchema = { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] };
      let booked = 0;
      const joined = await join(version, [{ name: 'book', ...(annotations && { annotations }), run: () => 'unused' }]);
      answerRaw(joined.server, { name: 'book', inputSchema: { type: 'object' }, outputSchema, annotations }, () => {
        booked += 1;
        return { content: [{ type: 'text', text: 'Booked 7.' }], structuredContent };
      });
      await joined.safe.listTools();
      return { ...joined, booked: () => booked };
    };

    it('that break their schema reject with the error of the SDK, and are counted and not repeated', async () => {
      for (const structuredContent of [{ id: 'seven' }, undefined]) {
        const { call, callBare, booked, safe, bare } = await booking(structuredContent, { readOnlyHint: true });
        await bare.listTools();
        const expected = await callBare('book').catch((error: unknown) => error);
        expect(expected).toBeInstanceOf(Error);
        await expect(call('book')).rejects.toEqual(expected);
        expect([booked(), safe.reliable.service.getToolMetrics('book')?.errorCount]).toEqual([2, 1]);
      }
    });

    it('that break their schema are not told to a conversation as wrong arguments, and never ask for a repetition', async () => {
      for (const structuredContent of [{ id: 'seven' }, undefined]) {
        for (const annotations of [undefined, { readOnlyHint: true }]) {
          const { callInConversation, booked } = await booking(structuredContent, annotations);
          const result = await callInConversation('book');
          expect(result.isError).toBe(true);
          expect(textOf(result)).toMatch(/^Error INVALID_RESPONSE: .*output schema/);
          expect(/may have taken effect/.test(textOf(result))).toBe(annotations === undefined);
          expect(textOf(result)).not.toMatch(/[Cc]orrect the arguments|once more/);
          expect(booked()).toBe(1);
        }
      }
    });

    it('that a server itself refuses for its schema are not told as wrong arguments either', async () => {
      const problem = 'MCP error -32602: Output validation error: Invalid structured content for tool book: id must be a number';
      let booked = 0;
      const run = (): object => {
        booked += 1;
        return { content: [{ type: 'text', text: problem }], isError: true };
      };
      const { call } = await join(version, [{ name: 'book', run }]);
      const text = textOf(await call('book'));
      expect(text).toMatch(/^Error INVALID_RESPONSE: /);
      expect(text).toMatch(/may have taken effect/);
      expect(text).not.toMatch(/[Cc]orrect the arguments|once more/);
      expect(booked).toBe(1);
    });

    it('replace everything else that the SDK throws', async () => {
      const { call, bare } = await join(version, [{ name: 'echo', run: () => 'hi' }]);
      expect(textOf(await call('ehco'))).toMatch(/Unknown tool: ehco\. Did you mean 'echo'/);
      await bare.close();
      for (const name of ['echo', 'other'])
        expect(await call(name)).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/connected/i) as string }] });
    });

    it('name the invalid argument, without a request to the server', async () => {
      let runs = 0;
      const { call } = await join(version, [{ name: 'find', schema: citySchema, run: () => `${++runs}` }]);
      expect(textOf(await call('find', { town: 'Oslo' }))).toMatch(/Required parameter 'city' missing/);
      expect(runs).toBe(0);
    });
  });

  describe('the annotations of tools', () => {
    const tools = (counts: Record<string, number>): readonly ServedTool[] =>
      Object.entries({
        reading: { readOnlyHint: true },
        putting: { readOnlyHint: false, idempotentHint: true, destructiveHint: true },
        deleting: { destructiveHint: true },
        silent: undefined,
      }).map(([name, annotations]) => ({
        name,
        ...(annotations ? { annotations } : {}),
        run: () => {
          counts[name] = (counts[name] ?? 0) + 1;
          throw new Error('socket hang up');
        },
      }));
    const names = ['reading', 'putting', 'deleting', 'silent'];
    const effects = ({ reliable: { service } }: Joined['safe']): unknown[] => names.map((name) => service.getToolSettings(name)?.effect);

    it('determine how often they may be run', async () => {
      const counts: Record<string, number> = {};
      const { call, safe } = await join(version, tools(counts));
      for (const name of names) expect((await call(name)).isError).toBe(true);
      expect(effects(safe)).toEqual(['read', 'idempotent', 'unsafe', undefined]);
      expect(counts['reading']).toBe(3);
      expect(counts['deleting']).toBe(1);
      expect(counts['silent']).toBe(1);
      expect(textOf(await call('deleting'))).toMatch(/may have/);
    });

    it('are only hints: settings override them, and they can be ignored', async () => {
      const set = await join(version, tools({}), { ...quick, tools: { reading: { effect: 'unsafe' } } });
      await set.safe.listTools();
      expect(effects(set.safe)).toEqual(['unsafe', 'idempotent', 'unsafe', undefined]);
      const ignored = await join(version, tools({}), { ...quick, annotations: 'ignore' });
      await ignored.safe.listTools();
      expect(effects(ignored.safe)).toEqual([undefined, undefined, undefined, undefined]);
    });
  });

  describe('tools that change', () => {
    it('are detected when they are called', async () => {
      const { server, call } = await join(version, [{ name: 'one', run: () => '1' }]);
      expect(textOf(await call('one'))).toBe('1');
      serve(server, { name: 'two', run: () => '2' });
      expect(textOf(await call('two'))).toBe('2');
    });

    it('use their newest schema for arguments', async () => {
      const { server, call } = await join(version, [{ name: 'one', run: () => '1' }]);
      const registered = serve(server, { name: 'find', schema: citySchema, run: () => 'by city' });
      expect(textOf(await call('find', { city: 'Oslo' }))).toBe('by city');
      registered.remove();
      serve(server, {
        name: 'find',
        schema: { type: 'object', properties: { town: { type: 'string' } }, required: ['town'] },
        run: () => 'by town',
      });
      expect(textOf(await call('find', { town: 'Oslo' }))).toBe('by town');
    });

    it('keep their circuits', async () => {
      let runs = 0;
      const down = (): never => {
        runs += 1;
        return busy();
      };
      const { server, call, safe } = await join(version, [{ name: 'down', run: down }], {
        ...quick,
        tools: { down: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1, openMs: 30_000 }, waitForRecovery: false } },
      });
      await call('down');
      expect(safe.reliable.service.getToolHealth('down')?.circuit).toBe('open');
      serve(server, { name: 'other', run: () => 'fine' });
      const before = safe.reliable.service;
      expect(textOf(await call('other'))).toBe('fine');
      expect(safe.reliable.service).not.toBe(before);
      expect(safe.reliable.service.getToolHealth('down')?.circuit).toBe('open');
      expect((await call('down')).isError).toBe(true);
      expect(runs).toBe(1);
    });

    it('with invalid names and schemas affect no others', async () => {
      const { bare, call, safe } = await join(version, [{ name: 'one', run: () => '1' }]);
      const listTools = bare.listTools.bind(bare);
      const odd = [
        { name: '  ', inputSchema: { type: 'object' } },
        { name: 'odd', inputSchema: { $ref: '#' } },
        { name: 'odder', inputSchema: 'none' },
        { name: 'bare', inputSchema: null },
        { name: 7 },
        { name: 'one', inputSchema: { type: 'object' } },
      ];
      bare.listTools = async () => ({ ...(await listTools()), tools: odd }) as never;
      expect(textOf(await call('one'))).toBe('1');
      expect(textOf(await call('odd'))).toMatch(/odd/);
      expect((await safe.listTools()).tools).toBe(odd);
    });

    it('are not reported as changed if nothing changed', async () => {
      const { safe } = await join(version, [{ name: 'one', run: () => '1' }]);
      await safe.listTools();
      const { service } = safe.reliable;
      await safe.listTools();
      expect(safe.reliable.service).toBe(service);
    });
  });

  describe('the client', () => {
    it('is otherwise unchanged', async () => {
      const { bare, safe } = await join(version, [{ name: 'one', run: () => '1' }]);
      expect(safe).toBeInstanceOf(version === 'v2' ? Client : FirstClient);
      expect(safe.constructor).toBe(bare.constructor);
      expect(safe.getServerVersion()).toMatchObject({ name: 'test' });
      expect(Reflect.get(safe, 'ping')).toBe(Reflect.get(safe, 'ping'));
      expect(await safe.ping()).toEqual({});
      const onclose = (): void => {};
      safe.onclose = onclose;
      expect(bare.onclose).toBe(onclose);
      expect([Reflect.get(bare, 'reliable'), 'callTool' in safe]).toEqual([undefined, true]);
      expect(await safe.listTools()).toEqual(await bare.listTools());
    });

    it('lists tools with an open circuit with a note', async () => {
      const { call, safe } = await join(version, [{ name: 'down', description: 'Down.', run: busy }], {
        ...quick,
        tools: { down: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1, openMs: 30_000 }, waitForRecovery: false } },
      });
      await call('down');
      const { tools } = await safe.listTools();
      expect(tools[0]?.description).toMatch(/^Down\.\n\nCurrently unavailable/);
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect((await safe.listTools()).tools).toEqual(tools);
    });

    it('calls a server that cannot list its tools, in one service, without reporting faults', async () => {
      const faults: unknown[] = [];
      const tools = [{ name: 'one', run: () => '1' }];
      const { bare, call, safe } = await join(version, tools, { ...quick, onFault: (fault) => faults.push(fault) });
      bare.listTools = () => Promise.reject(new Error('no list'));
      expect(textOf(await call('one'))).toBe('1');
      const { service } = safe.reliable;
      for (let times = 0; times < 20; times++) expect(textOf(await call('one'))).toBe('1');
      expect(safe.reliable.service).toBe(service);
      expect(service.getToolMetrics('one')).toMatchObject({ totalExecutions: 21 });
      expect(faults).toEqual([]);
    });

    it('keeps only circuits, unless a conversation is started', async () => {
      let runs = 0;
      const run = (): object => ({ ...textResult(++runs > 0 ? 'No such page' : ''), isError: true });
      const { call, safe } = await join(version, [{ name: 'open', annotations: { readOnlyHint: true }, run }], {
        ...quick,
        policy: { breaker: false },
      });
      for (let times = 0; times < 12; times++) await call('open');
      expect(runs).toBe(12);
      expect([safe.reliable.stopped, safe.reliable.agentRun]).toEqual([undefined, undefined]);
      const first = safe.reliable.startRun();
      const other = safe.reliable.startRun();
      const open = (using: typeof safe): Promise<unknown> =>
        version === 'v2' ? using.callTool({ name: 'open' }) : using.callTool({ name: 'open' }, undefined);
      for (let times = 0; times < 8; times++) await open(first);
      expect(runs).toBe(15);
      expect(first.reliable.stopped).toMatchObject({ reason: 'repeated_failure' });
      await open(other);
      expect([runs, other.reliable.stopped]).toEqual([16, undefined]);
      expect(other.reliable.service).toBe(first.reliable.service);
    });

    it('rejects invalid settings before anything is called', async () => {
      await expect(join(version, [], { annotations: 'believe' as never })).rejects.toThrow(
        /reliableClient\.annotations must be one of trust, ignore, got 'believe'/,
      );
      await expect(join(version, [], { tools: { find: { timeoutMs: -1 } } })).rejects.toThrow(/timeoutMs/);
    });
  });
});
