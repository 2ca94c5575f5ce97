/** Bedrock's Converse API in a loop of one's own, to measure what the adapter costs. */
import type { Message } from '@aws-sdk/client-bedrock-runtime';
import { type CostCase, type WeatherCall, scriptedCalls, scriptedTool } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/bedrock';

const { name, description, schema, run } = scriptedTool;

const answer = (calls: readonly WeatherCall[]): { output: { message: Message }; stopReason: 'tool_use' } => ({
  stopReason: 'tool_use',
  output: { message: { role: 'assistant', content: calls.map(({ id, city }) => ({ toolUse: { toolUseId: id, name, input: { city } } })) } },
});

async function respond(message: Message): Promise<Message> {
  const content = (message.content ?? []).map(async ({ toolUse }) => ({
    toolResult: {
      toolUseId: toolUse?.toolUseId,
      content: [{ text: await run(String((toolUse?.input as { readonly city?: unknown } | undefined)?.city)) }],
      status: 'success',
    },
  }));
  return { role: 'user', content: (await Promise.all(content)) as never };
}

async function playWith(
  reply: (given: ReturnType<typeof answer>) => Promise<Message>,
  request: (messages: Message[]) => unknown,
): Promise<void> {
  const messages = question();
  for (let results = 0, calls = scriptedCalls(0); calls.length > 0; calls = scriptedCalls((results += calls.length))) {
    request(messages);
    const given = answer(calls);
    messages.push(given.output.message, await reply(given));
  }
  request(messages);
}

const question = (): Message[] => [{ role: 'user', content: [{ text: 'Go on.' }] }];

export const costs: readonly CostCase[] = [
  {
    id: 'bedrock-converse',
    prepare(wrapped) {
      if (!wrapped)
        return () =>
          playWith(
            ({ output }) => respond(output.message),
            (messages) => messages,
          );
      const weather = {
        toolSpec: { name, description, inputSchema: { json: schema } },
        run: ({ city }: { readonly city: string }) => run(city),
      };
      const reliable = reliableTools([weather] as never);
      return () => {
        const started = reliable.startRun();
        return playWith(
          (given) => started.answer(given as never) as Promise<Message>,
          (messages) => [started.definitions, started.repair(messages)],
        );
      };
    },
  },
];
