/** Tools, and answers in the form of the API. */
import type { Message } from '@aws-sdk/client-bedrock-runtime';
import type { ReliableOptions, ToolFunction, ToolResults } from '@holdfast/bedrock';
import { reliableTools } from '@holdfast/bedrock';

export const fn = (name: string, run: ToolFunction['run'], json: object = { type: 'object', properties: {} }): ToolFunction => ({
  toolSpec: { name, description: `The tool ${name}.`, inputSchema: { json } },
  run,
});

export const use = (name: string, input: unknown = {}, toolUseId = `tooluse_${name}`): object => ({ toolUseId, name, input });

/** A message with these calls. */
export const messageOf = (...uses: readonly object[]): Message =>
  ({ role: 'assistant', content: uses.map((toolUse) => ({ toolUse })) }) as Message;

/** The results of a new run to a message. */
export async function resultsTo(
  tools: readonly ToolFunction[],
  message: Message,
  options: ReliableOptions = {},
): Promise<readonly ToolResults['content'][number]['toolResult'][]> {
  const results = await reliableTools(tools, options).startRun().answer(message);
  return (results?.content ?? []).map(({ toolResult }) => toolResult);
}
