/** One conversation with the real SDK, a double of Claude Code and a scripted model. */
import { type Options, query, type SdkMcpToolDefinition } from '@anthropic-ai/claude-agent-sdk';
import { type ClaudeAgentRun, type ReliableOptions, reliableTools, type ReliableTools } from '@holdfast/claude-agent-sdk';
import type { TraceEvent } from '@holdfast/core';
import type { ConversationScript, ProviderDouble } from '@holdfast/provider-double';
import { startProviderDouble } from '@holdfast/provider-double';
import { onTestFinished } from 'vitest';
import { doubleOptions } from './harness.ts';

export interface Stage {
  readonly double: ProviderDouble;
  readonly events: readonly TraceEvent[];
  readonly reliable: ReliableTools;
  readonly run: ClaudeAgentRun;
  /** The blocks of results that the model received in its last request. */
  readonly results: () => readonly { readonly text: string; readonly isError: boolean }[];
  /** Plays the conversation; resolves with the subtype and the text of its end. */
  readonly play: (more?: Options, env?: Readonly<Record<string, string>>) => Promise<readonly [string, string]>;
}

export async function stage(
  tools: readonly SdkMcpToolDefinition<never>[] | readonly object[],
  script: ConversationScript,
  options: ReliableOptions = {},
): Promise<Stage> {
  const double = await startProviderDouble({ script });
  onTestFinished(() => double.close());
  const events: TraceEvent[] = [];
  const policy = { retry: { initialDelayMs: 1, maxDelayMs: 2 }, ...options.policy };
  const reliable = reliableTools(tools as never, {
    ...options,
    policy,
    run: { ...options.run, onEvent: (event) => void events.push(event) },
  });
  const run = reliable.startRun();
  return {
    double,
    events,
    reliable,
    run,
    results: () =>
      double.requests
        .at(-1)
        ?.neutral.messages.flatMap(({ results }) => results.map(({ text, isError }) => ({ text, isError: isError === true }))) ?? [],
    async play(more = {}, env = {}) {
      const base = doubleOptions(double.baseUrlFor('anthropic-messages'), env);
      let end: readonly [string, string] = ['none', ''];
      for await (const message of query({
        prompt: 'Go on.',
        options: { ...base, mcpServers: { own: run.server({ name: 'own' }) }, hooks: run.hooks(), maxTurns: 20, ...more },
      }))
        if (message.type === 'result') end = [message.subtype, message.subtype === 'success' ? message.result : ''];
      return end;
    },
  };
}

export const done = { text: 'All done.' };
export const never = (): Promise<never> => new Promise(() => undefined);
export const text = (words: string): { content: { type: 'text'; text: string }[] } => ({ content: [{ type: 'text', text: words }] });
export const call = (name: string, city = 'Oslo'): { readonly name: string; readonly arguments: { readonly city: string } } => ({
  name,
  arguments: { city },
});
