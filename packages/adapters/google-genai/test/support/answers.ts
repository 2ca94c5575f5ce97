/** Functions, and answers in the form of the API. */
import type { Content, FunctionCall, FunctionResponse, GenerateContentResponse, Part } from '@google/genai';
import type { ReliableOptions, ToolFunction } from '@holdfast/google-genai';
import { reliableTools } from '@holdfast/google-genai';

export const fn = (
  name: string,
  run: ToolFunction['run'],
  parametersJsonSchema: object = { type: 'object', properties: {} },
): ToolFunction => ({
  name,
  description: `The function ${name}.`,
  parametersJsonSchema,
  run,
});

export const contentOf = (calls: readonly FunctionCall[]): Content => ({
  role: 'model',
  parts: calls.map((functionCall) => ({ functionCall })),
});

export const answerOf = (parts: Part[], finishReason: string | undefined = 'STOP'): GenerateContentResponse =>
  ({
    candidates: [{ content: { role: 'model', parts }, ...(finishReason === undefined ? {} : { finishReason }) }],
  }) as GenerateContentResponse;

/** The responses of a new run to these calls. */
export async function responsesTo(
  tools: readonly ToolFunction[],
  calls: readonly FunctionCall[],
  options: ReliableOptions = {},
): Promise<readonly FunctionResponse[]> {
  const results = await reliableTools(tools, options).startRun().answer(calls);
  return (results?.parts ?? []).flatMap(({ functionResponse }) => functionResponse ?? []);
}
