/** Puts a message together from the events of a stream, as programs do: text, and calls with their arguments as text. */
import type { ContentBlock, ConverseStreamCommandOutput, Message } from '@aws-sdk/client-bedrock-runtime';

export async function readStream({ stream = [] as never }: ConverseStreamCommandOutput) {
  const content: ContentBlock[] = [];
  const message: Message = { role: 'assistant', content };
  let stopReason: string | undefined;
  for await (const { contentBlockStart, contentBlockDelta, messageStop } of stream) {
    const toolUse = contentBlockStart?.start?.toolUse;
    if (toolUse)
      content[contentBlockStart.contentBlockIndex ?? 0] = { toolUse: { toolUseId: toolUse.toolUseId, name: toolUse.name, input: '' } };
    const delta = contentBlockDelta?.delta;
    const index = contentBlockDelta?.contentBlockIndex ?? 0;
    const block = content[index];
    if (delta?.text !== undefined) content[index] = { text: (block?.text ?? '') + delta.text };
    if (delta?.toolUse && block?.toolUse) block.toolUse.input = `${block.toolUse.input as string}${delta.toolUse.input ?? ''}`;
    if (messageStop) ({ stopReason } = messageStop);
  }
  for (const { toolUse } of content) if (toolUse) toolUse.input = parse(toolUse.input as string) as never;
  return { output: { message }, stopReason };
}

/** Arguments that are no JSON stay the text that the model wrote. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    return text;
  }
}
