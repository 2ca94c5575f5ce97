/** The Google Gen AI SDK, to measure what the adapter costs. */
import { type CallableTool, GoogleGenAI, type Part } from '@google/genai';
import { type CostCase, scriptedCalls, scriptedTool } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/google-genai';

const { name, description, schema, run } = scriptedTool;
const functionDeclarations = [{ name, description, parametersJsonSchema: schema }];

const answerOf = (parts: readonly Part[]): string =>
  JSON.stringify({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] });
/** The model's answer to a request. */
function answerTo(body: unknown): string {
  const calls = scriptedCalls(String(body).split('"functionResponse"').length - 1);
  return answerOf(calls.length === 0 ? [{ text: 'Done.' }] : calls.map(({ id, city }) => ({ functionCall: { id, name, args: { city } } })));
}

/** The SDK has no setting for its function that sends requests. */
function replaceFetch(): void {
  globalThis.fetch = (_url, init) =>
    Promise.resolve(new Response(answerTo(init?.body), { headers: { 'content-type': 'application/json' } }));
}

const bare: CallableTool = {
  tool: () => Promise.resolve({ functionDeclarations }),
  callTool: (calls) =>
    Promise.all(
      calls.map(async ({ id, args }) => ({
        functionResponse: { ...(id === undefined ? {} : { id }), name, response: { output: await run(String(args?.['city'])) } },
      })),
    ),
};

export const costs: readonly CostCase[] = [
  {
    id: 'google-genai-automatic',
    prepare(wrapped) {
      replaceFetch();
      const { models } = new GoogleGenAI({ apiKey: 'key' });
      const request = { model: 'gemini-2.5-flash', contents: [{ role: 'user', parts: [{ text: 'Go on.' }] }] };
      if (!wrapped) return () => models.generateContent({ ...request, config: { tools: [bare] } });
      const weather = { name, description, parametersJsonSchema: schema, run: ({ city }: { readonly city: string }) => run(city) };
      const reliable = reliableTools([weather] as never);
      return () => {
        const started = reliable.startRun();
        return models.generateContent(started.repair({ ...request, config: { tools: started.callableTools() } }));
      };
    },
  },
];
