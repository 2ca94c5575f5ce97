/** Random conversations with calls and results, written in the format of each provider. Each result has a text of its own, so that it can be found again. */
import type { Change } from '@holdfast/wire';
import { expect } from 'vitest';

export interface Exchange {
  readonly callId: string;
  readonly tool: string;
  /** `undefined`: the result was lost. */
  readonly result: string | undefined;
}

/** A result as it is written; without an id only its place and, in some formats, its name tell whose it is. */
export interface Written extends Omit<Exchange, 'callId'> {
  readonly callId: string | undefined;
}

/** One answer of the model and what follows it, in the order in which it is written. */
export interface Round {
  readonly question: string;
  readonly exchanges: readonly Exchange[];
  /** Positions of the results, and what is written besides them: a second time, or for no call. */
  readonly written: readonly Written[];
}

export type ProviderFormat = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini' | 'bedrock-converse';

type Write = (rounds: readonly Round[]) => Readonly<Record<string, unknown>>;

const answered = ({ written }: Round): readonly (Written & { readonly result: string })[] =>
  written.flatMap((each) => (each.result === undefined ? [] : [{ ...each, result: each.result }]));

export const writers: Readonly<Record<ProviderFormat, Write>> = {
  'openai-chat': (rounds) => ({
    model: 'gpt-x',
    messages: rounds.flatMap((round) => [
      { role: 'user', content: round.question },
      round.exchanges.length === 0
        ? { role: 'assistant', content: 'I see.' }
        : {
            role: 'assistant',
            content: null,
            tool_calls: round.exchanges.map(({ callId, tool }) => ({
              id: callId,
              type: 'function',
              function: { name: tool, arguments: '{}' },
            })),
          },
      ...answered(round).map(({ callId, result }) => ({ role: 'tool', tool_call_id: callId, content: result })),
    ]),
  }),
  'openai-responses': (rounds) => ({
    model: 'gpt-x',
    input: rounds.flatMap((round) => [
      { role: 'user', content: round.question },
      ...(round.exchanges.length === 0 ? [{ role: 'assistant', content: 'I see.' }] : []),
      ...round.exchanges.map(({ callId, tool }) => ({ type: 'function_call', call_id: callId, name: tool, arguments: '{}' })),
      ...answered(round).map(({ callId, result }) => ({ type: 'function_call_output', call_id: callId, output: result })),
    ]),
  }),
  'anthropic-messages': (rounds) => ({
    model: 'claude-x',
    max_tokens: 100,
    tools: toolNames.map((name) => ({ name, input_schema: { type: 'object' } })),
    messages: inTurns(
      rounds,
      ({ callId, tool }) => ({ type: 'tool_use', id: callId, name: tool, input: {} }),
      ({ callId, result }) => ({ type: 'tool_result', tool_use_id: callId, content: result }),
      (text) => ({ type: 'text', text }),
    ),
  }),
  gemini: (rounds) => ({
    model: 'gemini-x',
    contents: inTurns(
      rounds,
      ({ callId, tool }) => ({ functionCall: { id: callId, name: tool, args: {} } }),
      ({ callId, tool, result }) => ({ functionResponse: { id: callId, name: tool, response: { output: result } } }),
      (text) => ({ text }),
    ).map(({ role, content }) => ({ role: role === 'assistant' ? 'model' : 'user', parts: content })),
  }),
  'bedrock-converse': (rounds) => ({
    modelId: 'x',
    toolConfig: { tools: toolNames.map((name) => ({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } })) },
    messages: inTurns(
      rounds,
      ({ callId, tool }) => ({ toolUse: { toolUseId: callId, name: tool, input: {} } }),
      ({ callId, result }) => ({ toolResult: { toolUseId: callId, content: [{ text: result }] } }),
      (text) => ({ text }),
    ),
  }),
};

export const toolNames = ['weather', 'hotels', 'flights'] as const;

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly object[];
}

/** Formats in which users and models take turns: results open the message of the user that follows. */
function inTurns(
  rounds: readonly Round[],
  call: (exchange: Exchange) => object,
  result: (written: Written & { readonly result: string }) => object,
  text: (words: string) => object,
): readonly Message[] {
  const messages: { role: 'user' | 'assistant'; content: object[] }[] = [];
  let results: object[] = [];
  for (const round of rounds) {
    messages.push({ role: 'user', content: [...results, text(round.question)] });
    const said = round.exchanges.length === 0 ? [text('I see.')] : round.exchanges.map(call);
    messages.push({ role: 'assistant', content: said });
    results = answered(round).map(result);
  }
  if (results.length > 0) messages.push({ role: 'user', content: results });
  return messages;
}

/** Every call id with the text that stands as its result, in any format. */
export function resultsIn(value: unknown): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) return value.flatMap(resultsIn);
  if (typeof value !== 'object' || value === null) return [];
  const { tool_call_id, call_id, output, tool_use_id, toolResult, functionResponse, content } = value as Record<string, unknown>;
  if (typeof tool_call_id === 'string') return [[tool_call_id, JSON.stringify(content)]];
  if (typeof call_id === 'string' && output !== undefined) return [[call_id, JSON.stringify(output)]];
  if (typeof tool_use_id === 'string') return [[tool_use_id, JSON.stringify(content)]];
  if (toolResult !== undefined) return [[String((toolResult as { toolUseId?: unknown }).toolUseId), JSON.stringify(toolResult)]];
  if (functionResponse !== undefined) return [[String((functionResponse as { id?: unknown }).id), JSON.stringify(functionResponse)]];
  return Object.values(value).flatMap(resultsIn);
}

/** The ids of all calls, in any format. */
export function callsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(callsIn);
  if (typeof value !== 'object' || value === null) return [];
  const { type, id, call_id, function: own, toolUse, functionCall } = value as Record<string, unknown>;
  if (type === 'function' && typeof id === 'string' && own !== undefined) return [id];
  if (type === 'function_call') return [String(call_id)];
  if (type === 'tool_use') return [String(id)];
  if (toolUse !== undefined) return [String((toolUse as { toolUseId?: unknown }).toolUseId)];
  if (functionCall !== undefined) return [String((functionCall as { id?: unknown }).id)];
  return Object.values(value).flatMap(callsIn);
}

/** The value at a path such as `messages.2.content`. */
function valueAtPath(value: unknown, path: string): unknown {
  return path
    .split('.')
    .filter((key) => key !== '')
    .reduce<unknown>(
      (part, key) => (typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[key] : undefined),
      value,
    );
}

/** Every change says what was there, and what is there now. A second edit of a field refers to the first. */
export function expectTruthful(changes: readonly Change[], given: unknown, corrected: unknown): void {
  const paths = new Set<string>();
  for (const { action, path, before, after } of changes) {
    const isFirst = !paths.has(path);
    paths.add(path);
    if ((action === 'removed' || action === 'edited') && isFirst) expect(before ?? null, path).toEqual(valueAtPath(given, path) ?? null);
    if (action === 'added') expect(after, path).toEqual(valueAtPath(corrected, path));
    if (action === 'moved') expect([before, typeof after], path).toEqual([path, 'string']);
  }
}
