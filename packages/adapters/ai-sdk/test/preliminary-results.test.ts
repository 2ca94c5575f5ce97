import type { TextStreamPart, ToolSet } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sdk6, sdk7 } from './support/sdks.ts';
import { done, never, stage, wait } from './support/stage.ts';

const inputSchema = z.object({ city: z.string() });
const call = { name: 'watch', arguments: { city: 'Oslo' } };
const script = [{ calls: [call] }, done];

/** The tool results of a stream by kind, and errors. */
const spoken = (parts: readonly TextStreamPart<ToolSet>[]): readonly unknown[] =>
  parts.flatMap((part): readonly object[] => {
    if (part.type === 'tool-result') return [part.preliminary ? { preliminary: part.output } : { final: part.output }];
    return part.type === 'tool-error' ? [{ error: String((part.error as Error).message) }] : [];
  });

async function collected<Part>(stream: AsyncIterable<Part>): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

describe.each([sdk7, sdk6])('ai $version', (sdk) => {
  test('yielded values are streamed, and the last one is the output', async () => {
    const seen: string[] = [];
    const watch = sdk.tool({
      inputSchema,
      async *execute({ city }: { city: string }) {
        yield { state: 'looking', city };
        await wait(30);
        seen.push('tool continues');
        yield { state: 'done', city };
      },
    });
    const bare = await stage(sdk, { watch }, script);
    const without = spoken(await collected(sdk.streamText({ ...bare.request, tools: { watch }, stopWhen: sdk.stepCount(3) }).fullStream));
    const { run, request, resultsIn } = await stage(sdk, { watch }, script);
    seen.length = 0;
    const parts: TextStreamPart<ToolSet>[] = [];
    for await (const part of sdk.streamText({ ...request, ...run.settings }).fullStream) {
      parts.push(part as TextStreamPart<ToolSet>);
      if (part.type === 'tool-result') seen.push(part.preliminary ? 'preliminary' : 'final');
    }
    expect(spoken(parts)).toEqual(without);
    expect(without).toHaveLength(3);
    expect(seen).toEqual(['preliminary', 'tool continues', 'preliminary', 'final']);
    expect(resultsIn()).toEqual(['{"state":"done","city":"Oslo"}']);
  });

  test('a plain function that returns a generator streams too, and one that is stopped ends its tool', async () => {
    let closed = 0;
    async function* look(city: string): AsyncGenerator<object> {
      try {
        yield { state: 'looking', city };
        await wait(20);
        yield { state: 'done', city };
      } finally {
        closed += 1;
      }
    }
    const watch = sdk.tool({ inputSchema, execute: ({ city }: { city: string }) => look(city) });
    const bare = await stage(sdk, { watch }, script);
    const without = spoken(await collected(sdk.streamText({ ...bare.request, tools: { watch }, stopWhen: sdk.stepCount(3) }).fullStream));
    const { run, request, resultsIn } = await stage(sdk, { watch }, script);
    expect(spoken(await collected(sdk.streamText({ ...request, ...run.settings }).fullStream))).toEqual(without);
    expect(without).toHaveLength(3);
    expect(resultsIn()).toEqual(['{"state":"done","city":"Oslo"}']);
    const stream = run.tools.watch.execute?.({ city: 'Rome' }, {
      toolCallId: 'x',
      messages: [],
    } as never) as unknown as AsyncIterable<object>;
    for await (const value of stream) {
      expect(value).toEqual({ state: 'looking', city: 'Rome' });
      break;
    }
    await expect.poll(() => closed).toBe(3);
  });

  test('with generateText the last value is the output', async () => {
    const watch = sdk.tool({
      inputSchema,
      async *execute() {
        yield 'looking';
        yield 'done';
      },
    });
    const { run, request, resultsIn } = await stage(sdk, { watch }, script);
    const { steps } = await sdk.generateText({ ...request, ...run.settings });
    expect(steps[0]?.toolResults[0]?.output).toBe('done');
    expect(resultsIn()).toEqual(['done']);
  });

  test('a tool that yields nothing returns nothing, as without Holdfast', async () => {
    const watch = sdk.tool({ inputSchema, async *execute(): AsyncGenerator<string> {} });
    const { run, request } = await stage(sdk, { watch }, script);
    const parts = await collected(sdk.streamText({ ...request, ...run.settings }).fullStream);
    expect(spoken(parts as never)).toEqual([{ final: undefined }]);
  });

  test('a failed attempt is repeated, and everything that was yielded has been streamed', async () => {
    let attempts = 0;
    const watch = sdk.tool({
      inputSchema,
      async *execute() {
        attempts += 1;
        yield `attempt ${attempts}`;
        if (attempts < 2) throw Object.assign(new Error('unavailable'), { status: 503 });
        yield 'done';
      },
    });
    const { run, request } = await stage(sdk, { watch }, script);
    const parts = await collected(sdk.streamText({ ...request, ...run.settings }).fullStream);
    expect(spoken(parts as never)).toEqual([
      { preliminary: 'attempt 1' },
      { preliminary: 'attempt 2' },
      { preliminary: 'done' },
      { final: 'done' },
    ]);
  });

  test('a tool that stops halfway is ended at its time limit, and its partial output can be kept', async () => {
    const watch = sdk.tool({
      inputSchema,
      async *execute() {
        yield 'half of it';
        await never();
      },
    });
    const policy = { timeoutMs: 60, retry: { maxAttempts: 1 } };
    const failing = await stage(sdk, { watch }, script, { tools: { watch: policy } });
    const parts = await collected(sdk.streamText({ ...failing.request, ...failing.run.settings }).fullStream);
    expect(spoken(parts as never)).toEqual([
      { preliminary: 'half of it' },
      { error: expect.stringMatching(/^Error TOOL_TIMEOUT/) as string },
    ]);
    const partial = await stage(sdk, { watch }, script, { tools: { watch: { ...policy, acceptPartial: true } } });
    const kept = await collected(sdk.streamText({ ...partial.request, ...partial.run.settings }).fullStream);
    expect(spoken(kept as never)).toEqual([{ preliminary: 'half of it' }, { final: 'half of it' }]);
    expect(partial.resultsIn()[0]).toMatch(/^half of it\nNote: this is partial output/);
  });

  test('the user interface receives every state', async () => {
    const watch = sdk.tool({
      inputSchema,
      async *execute({ city }: { city: string }) {
        yield `${city}: looking`;
        if (city === 'Rome') throw Object.assign(new Error('No such city'), { status: 404 });
        yield `${city}: done`;
      },
    });
    const calls = [call, { name: 'watch', arguments: { city: 'Rome' } }, { name: 'wach', arguments: {} }];
    const { run, request } = await stage(sdk, { watch }, [{ calls }, done]);
    const chunks = await collected(
      sdk
        .streamText({ ...request, ...run.settings })
        .toUIMessageStream({ onError: (error) => (error instanceof Error ? error.message : String(error)) }),
    );
    const about = chunks.flatMap((chunk) => {
      if (chunk.type === 'tool-output-available') return [[chunk.output, chunk.preliminary ?? false]];
      if (chunk.type === 'tool-output-error') return [[chunk.errorText.split('\n')[0]]];
      return chunk.type === 'tool-input-error' ? [['input', chunk.toolName]] : [];
    });
    expect(about).toContainEqual(['Oslo: looking', true]);
    expect(about).toContainEqual(['Oslo: done', false]);
    expect(about).toContainEqual(['Rome: looking', true]);
    expect(about).toContainEqual([expect.stringMatching(sdk.version === '7' ? /^No such city$/ : /^Error \w+: .*No such city/)]);
    expect(about).toContainEqual(['input', 'wach']);
    expect(chunks.at(-1)?.type).toBe('finish');
  });

  test('a consumer that stops reading ends the call', async () => {
    let ended = false;
    const watch = sdk.tool({
      inputSchema,
      async *execute(_: unknown, { abortSignal }: { abortSignal?: AbortSignal }) {
        abortSignal?.addEventListener('abort', () => (ended = true));
        yield 'first';
        await never();
      },
    });
    const { run } = await stage(sdk, { watch }, script);
    const values = run.tools.watch.execute?.({ city: 'Oslo' }, { toolCallId: 'call-1', messages: [] } as never) as AsyncGenerator<unknown>;
    expect(await values.next()).toEqual({ done: false, value: 'first' });
    await values.return(undefined);
    await wait(1);
    expect(ended).toBe(true);
  });
});
