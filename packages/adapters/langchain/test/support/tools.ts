/** Tools created as in LangChain's documentation, and text descriptions of messages. */
import type { BaseMessage, ToolMessage } from '@langchain/core/messages';
import { HumanMessage } from '@langchain/core/messages';
import type { StructuredToolInterface, ToolRunnableConfig } from '@langchain/core/tools';
import { tool } from '@langchain/core/tools';
import { z } from 'zod';

const city = z.object({ city: z.string() });

type Run = (args: { readonly city: string }, config: ToolRunnableConfig) => unknown;

export const cityTool = (name: string, run: Run): StructuredToolInterface =>
  tool(run, { name, description: `The ${name} tool.`, schema: city }) as unknown as StructuredToolInterface;

export const weather = (): StructuredToolInterface => cityTool('get_weather', (args) => `Rain in ${args.city}.`);

export const asked = (text = 'Go on.'): { messages: BaseMessage[] } => ({ messages: [new HumanMessage(text)] });

export const callId = (config: ToolRunnableConfig): string => config.toolCall?.id ?? '';

/** `type text` of each, with `!` for tool messages of failures. */
export const said = (messages: readonly BaseMessage[]): readonly string[] =>
  messages.map((message) => `${message.type}${(message as ToolMessage).status === 'error' ? '!' : ''} ${message.text}`);

export const results = (messages: readonly BaseMessage[]): readonly ToolMessage[] =>
  messages.filter((message): message is ToolMessage => message.type === 'tool');
