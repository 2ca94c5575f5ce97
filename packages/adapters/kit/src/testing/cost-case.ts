/** Owns the interface between measuring what an adapter costs and a framework: one conversation with a scripted model, bare or with Holdfast. */

/** A conversation whose cost is compared bare and with Holdfast. */
export interface CostCase {
  /** Short, unique id for the table, such as `openai-run-tools`. */
  readonly id: string;
  /**
   * Makes what a program makes once: its tools, its agent, and with Holdfast its `reliableTools`. Returns a function that plays one conversation with `scriptedCalls`.
   * The model is a function of the process, without a network.
   */
  readonly prepare: (wrapped: boolean) => PlayConversation | Promise<PlayConversation>;
}

/** Plays one conversation. */
export type PlayConversation = () => Promise<unknown>;

/** A call of `scriptedTool` for one city. */
export interface WeatherCall {
  /** Id of the call, unique in the conversation. */
  readonly id: string;
  /** The argument. */
  readonly city: string;
}

/** The size of a scripted conversation: answers with calls, and calls in each. */
export const scriptedSize = { answers: 3, calls: 10 } as const;

/** The calls of the next answer of the model. None: the model ends the conversation with a text. @param results number of results that the model has been sent */
export function scriptedCalls(results: number): readonly WeatherCall[] {
  const { answers, calls } = scriptedSize;
  if (results >= answers * calls) return [];
  return Array.from({ length: calls }, (_, index) => ({ id: `call_${results + index}`, city: `city ${index}` }));
}

/** The tool that is called: its name, its description, the schema of its arguments, and what it does. */
export const scriptedTool = {
  name: 'weather',
  description: 'The weather in a city.',
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
  run: (city: string): Promise<string> => Promise.resolve(`21 degrees in ${city}`),
} as const;

/** A `fetch` that answers like the Chat Completions API: with `scriptedCalls`, then with the end of the conversation. No network. */
export function scriptedFetch(_url: unknown, { body }: { readonly body?: unknown } = {}): Promise<Response> {
  const calls = scriptedCalls(String(body).split('"role":"tool"').length - 1);
  const tool_calls = calls.map(({ id, city }) => ({
    id,
    type: 'function',
    function: { name: scriptedTool.name, arguments: JSON.stringify({ city }) },
  }));
  const [message, finish_reason] =
    calls.length === 0
      ? [{ role: 'assistant', content: 'Done.' }, 'stop']
      : [{ role: 'assistant', content: null, tool_calls }, 'tool_calls'];
  const completion = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-5.2',
    choices: [{ index: 0, message, finish_reason }],
  };
  return Promise.resolve(new Response(JSON.stringify(completion), { headers: { 'content-type': 'application/json' } }));
}
