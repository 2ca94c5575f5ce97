/** The OpenAI SDK, to measure what the adapter costs. */
import { type CostCase, scriptedCalls, scriptedTool } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/openai';
import OpenAI from 'openai';

const { name, description, schema, run } = scriptedTool;

const completion = (message: object, finish_reason: string): string =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-5.2',
    choices: [{ index: 0, message, finish_reason }],
  });

/** The model's answer to a request. */
function answerTo(body: unknown): string {
  const calls = scriptedCalls(String(body).split('"role":"tool"').length - 1);
  if (calls.length === 0) return completion({ role: 'assistant', content: 'Done.' }, 'stop');
  const tool_calls = calls.map(({ id, city }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify({ city }) } }));
  return completion({ role: 'assistant', content: null, tool_calls }, 'tool_calls');
}

const client = new OpenAI({
  apiKey: 'key',
  maxRetries: 0,
  fetch: (_url, init) => Promise.resolve(new Response(answerTo(init?.body), { headers: { 'content-type': 'application/json' } })),
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
