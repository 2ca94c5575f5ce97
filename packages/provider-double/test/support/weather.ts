/** The two turns that every SDK plays: a tool call, then an answer that repeats the tool's result. */
import type { NeutralRequest, ScriptedTurn } from '@holdfast/provider-double';

export const city = 'Zürich 🌧';

export const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;

const lastResult = (request: NeutralRequest): string => request.messages.flatMap((message) => message.results).at(-1)?.text ?? '';

export const weather: readonly ((request: NeutralRequest) => ScriptedTurn)[] = [
  () => ({ reasoning: 'The user wants weather.', text: 'Looking.', calls: [{ name: 'get_weather', arguments: { city } }] }),
  (request) => ({ text: `It is ${lastResult(request)}.` }),
];
