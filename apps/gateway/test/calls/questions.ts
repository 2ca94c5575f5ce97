/** Servers that ask, of both eras. */
import { isRpcError, type JsonObject } from '@holdfast/mcp-wire/server';
import { type Handler, servers, tool } from '../catalog/scene.ts';
import { callsScene, type CallsScene, type RequestOptions, text, textOf } from './scene.ts';

const capable = { elicitation: {}, sampling: {}, roots: {} };
export const legacy = { era: 'legacy', capabilities: capable } as const;
export const modern = { era: 'modern', protocolVersion: '2026-07-28', capabilities: capable } as const;
export const read = { annotations: { readOnlyHint: true } };
export const question = { message: 'Who?', requestedSchema: { type: 'object' } };

/** A server of the legacy era: asks during the call. */
export const asksAlong =
  (...methods: readonly string[]): Handler =>
  async (params, { onRequest }) => {
    if (onRequest === undefined) return text('no client to ask');
    const answers: unknown[] = [];
    for (const method of methods)
      answers.push(
        await onRequest(method, question).catch((error: unknown) => (isRpcError(error) ? { refused: error.code } : { lost: true })),
      );
    return text(JSON.stringify({ args: params['arguments'], answers }));
  };

/** A server of the modern era: asks with its result. */
export const asksBack: Handler = ({ arguments: args, inputResponses, requestState }) =>
  inputResponses === undefined
    ? {
        resultType: 'input_required',
        inputRequests: { who: { method: 'elicitation/create', params: question } },
        requestState: 'server-state',
      }
    : text(JSON.stringify({ args, inputResponses, requestState }));

export async function sceneOf(onCall: Handler, more = {}): Promise<CallsScene> {
  const scene = await callsScene(servers(['a']), { a: [tool('ask', { ...read, ...more })] });
  scene.upstream('a').onCall = onCall;
  return scene;
}

export const jsonOf = (result: JsonObject): unknown => JSON.parse(textOf(result));
export const going = (asked: JsonObject, inputResponses: JsonObject, client: RequestOptions['client'] = modern): RequestOptions => ({
  client,
  params: { inputResponses, ...(asked['requestState'] === undefined ? {} : { requestState: asked['requestState'] }) },
});
