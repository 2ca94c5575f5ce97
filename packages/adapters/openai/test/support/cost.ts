/** The OpenAI SDK, to measure what the adapter costs. */
import { type CostCase, scriptedFetch, scriptedTool } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/openai';
import OpenAI from 'openai';

const { name, description, schema, run } = scriptedTool;

const client = new OpenAI({
  apiKey: 'key',
  maxRetries: 0,
  fetch: scriptedFetch,
});

const weather = {
  type: 'function',
  function: { name, description, parameters: schema, parse: JSON.parse, function: ({ city }: { readonly city: string }) => run(city) },
} as const;

const messages = (): OpenAI.ChatCompletionMessageParam[] => [{ role: 'user', content: 'Go on.' }];

/** A loop of one's own. */
async function loop(
  respond: (completion: OpenAI.ChatCompletion) => Promise<readonly OpenAI.ChatCompletionMessageParam[]>,
  repair: (request: OpenAI.ChatCompletionMessageParam[]) => OpenAI.ChatCompletionMessageParam[],
  tools: OpenAI.ChatCompletionTool[],
): Promise<void> {
  const conversation = messages();
  for (let answers = 0; answers < 5; answers++) {
    const response = await client.chat.completions.create({ model: 'gpt-5.2', messages: repair(conversation), tools });
    const results = await respond(response);
    if (results.length === 0) return;
    conversation.push(response.choices[0]?.message as never, ...results);
  }
}

const bare = ({ choices }: OpenAI.ChatCompletion): Promise<readonly OpenAI.ChatCompletionMessageParam[]> =>
  Promise.all(
    (choices[0]?.message.tool_calls ?? []).map(async (call) => {
      const { city } = JSON.parse((call as { readonly function: { readonly arguments: string } }).function.arguments) as { city: string };
      return { role: 'tool' as const, tool_call_id: call.id, content: await run(city) };
    }),
  );

export const costs: readonly CostCase[] = [
  {
    id: 'openai-run-tools',
    prepare(wrapped) {
      if (!wrapped)
        return () => client.chat.completions.runTools({ model: 'gpt-5.2', messages: messages(), tools: [weather] as never }).finalContent();
      const reliable = reliableTools([weather] as never);
      return () => {
        const started = reliable.startRun();
        const body = { model: 'gpt-5.2', messages: started.repairChat(messages()), tools: started.tools as never };
        return client.chat.completions.runTools(body).finalContent();
      };
    },
  },
  {
    id: 'openai-chat',
    prepare(wrapped) {
      const definition = { type: 'function', function: { name, description, parameters: schema } } as never;
      if (!wrapped) return () => loop(bare, (request) => request, [definition]);
      const reliable = reliableTools([weather] as never);
      return () => {
        const started = reliable.startRun();
        return loop(
          async (response) => (await started.answerChat(response)) as never,
          (request) => started.repairChat(request),
          started.chatTools as never,
        );
      };
    },
  },
];
