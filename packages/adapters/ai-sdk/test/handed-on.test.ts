/** What a tool of the framework gets, and what a program sees of its failure, as without Holdfast. */
import { createReliability, reliableTools, type ReliableOptions } from '@holdfast/ai-sdk';
import type { ToolSet } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sdk6, sdk7 } from './support/sdks.ts';
import { done, stage } from './support/stage.ts';

const inputSchema = z.object({ city: z.string() });
const call = (name: string) => ({ name, arguments: { city: 'Oslo' } });

describe.each([sdk7, sdk6])('ai $version', (sdk) => {
  test('a tool gets the signal of the framework, unless a limit is set or attempts may overlap', async () => {
    const given: unknown[] = [];
    const look = sdk.tool({ inputSchema, execute: (_input: unknown, { abortSignal }) => given.push(abortSignal) }) as ToolSet[string];
    const play = async (options: ReliableOptions, abortSignal?: AbortSignal): Promise<unknown> => {
      const { request } = await stage(sdk, { look }, [{ calls: [call('look')] }, done]);
      const run = reliableTools({ look }, options).startRun();
      await sdk.generateText({ ...request, ...run.settings, ...(abortSignal ? { abortSignal } : {}) });
      return given.at(-1);
    };
    expect(await play({})).toBeUndefined();
    const { signal } = new AbortController();
    expect(await play({}, signal)).toBe(signal);
    expect(await play({ tools: { look: { timeoutMs: 5_000 } } }, signal)).not.toBe(signal);
    expect(await play({ tools: { look: { timeoutMs: 5_000 } } })).toBeInstanceOf(AbortSignal);
    expect(await play({ tools: { look: { effect: 'read' } } })).toBeInstanceOf(AbortSignal);
    expect(await play({ turn: { timeoutMs: 5_000 } })).toBeInstanceOf(AbortSignal);
    expect(await play({ profile: 'spec' })).toBeInstanceOf(AbortSignal);
    expect(await play({ reliability: createReliability({ turn: { timeoutMs: 5_000 } }) })).toBeInstanceOf(AbortSignal);
  });

  const failure = async (thrown: unknown): Promise<{ readonly error: Error & { code?: string }; readonly told: string }> => {
    const look = sdk.tool({
      inputSchema,
      execute: (): string => {
        throw thrown;
      },
    });
    const { run, request, resultsIn } = await stage(sdk, { look }, [{ calls: [call('look')] }, done]);
    const { steps } = await sdk.generateText({ ...request, ...run.settings });
    const part = steps[0]?.content.find(({ type }) => type === 'tool-error') as { readonly error: Error & { code?: string } };
    const told = String(resultsIn()[0]);
    // Version 7 of the provider marks errors.
    return { error: part.error, told: sdk.version === '7' ? (JSON.parse(told) as { readonly error: string }).error : told };
  };

  test('a failure is thrown as the tool’s own error, or its cause, and the model gets the text', async () => {
    const own = Object.assign(new Error('No such city'), { status: 404 });
    const { error, told } = await failure(own);
    expect(told).toMatch(/^Error NOT_FOUND: .*No such city/);
    const isHandedOn = sdk.version === '7';
    expect(isHandedOn ? error : error.cause).toBe(own);
    expect(error.message).toBe(isHandedOn ? 'No such city' : told);
    expect(JSON.parse(JSON.stringify(error))).toEqual(
      isHandedOn ? { status: 404 } : { name: 'ToolCallError', message: told, code: 'NOT_FOUND' },
    );
    expect(String(error)).toBe(told);
  });

  test('what cannot have the text is the cause of an error that has it', async () => {
    const shared = new Error('No such city');
    await failure(shared);
    const { proxy, revoke } = Proxy.revocable(new Error('revoked'), {});
    revoke();
    for (const thrown of [shared, Object.freeze(new Error('frozen')), 'a string', proxy]) {
      const { error, told } = await failure(thrown);
      expect(error.name).toBe('ToolCallError');
      expect(error.message).toBe(told);
      expect(JSON.parse(JSON.stringify(error))).toEqual({ name: 'ToolCallError', message: told, code: error.code });
      expect((error as unknown as { readonly result: object }).result).toMatchObject({ status: 'error', toolName: 'look', attempts: 1 });
    }
  });
});
