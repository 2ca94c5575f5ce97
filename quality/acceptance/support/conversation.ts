/** Random conversations with calls and results, written in the format of each provider. Each result has a text of its own, so that it can be found again. */
export interface Exchange {
  readonly callId: string;
  readonly tool: string;
  /** `undefined`: the result was lost. */
  readonly result: string | undefined;
}

/** One answer of the model and what follows it, in the order in which it is written. */
export interface Round {
  readonly question: string;
  readonly exchanges: readonly Exchange[];
  /** Positions of the results, and what is written besides them: a second time, or for no call. */
  readonly written: readonly (Exchange | Pick<Exchange, 'callId' | 'tool' | 'result'>)[];
}

export type ProviderFormat = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini' | 'bedrock-converse';

type Write = (rounds: readonly Round[]) => Readonly<Record<string, unknown>>;

const answered = ({ written }: Round): readonly { callId: string; tool: string; result: string }[] =>
  written.flatMap(({ callId, tool, result }) => (result === undefined ? [] : [{ callId, tool, result }]));

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
  result: (exchange: { callId: string; tool: string; result: string }) => object,
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
