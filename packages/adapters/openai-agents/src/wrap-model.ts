/** Owns wrapping a model, so that its responses can be read and replaced before the SDK reads them. */
import type { Model, ModelProvider, ModelResponse } from '@openai/agents';

/** The part of a response that is read. */
export type Response = Pick<ModelResponse, 'output' | 'providerData'>;

type ReadResponse = (response: Response) => ModelResponse['output'];

export function wrapModel(model: Model, readOutput: ReadResponse): Model {
  const changes: Pick<Model, 'getResponse' | 'getStreamedResponse'> = {
    async getResponse(request) {
      const response = await model.getResponse(request);
      return { ...response, output: readOutput(response) };
    },
    async *getStreamedResponse(request) {
      for await (const event of model.getStreamedResponse(request)) {
        if (event.type !== 'response_done') yield event;
        else
          yield {
            ...event,
            response: { ...event.response, output: readOutput(event.response as Response) as typeof event.response.output },
          };
      }
    },
  };
  return new Proxy(model, {
    get(target, name) {
      const value: unknown = Reflect.get(name in changes ? changes : target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

export const wrapProvider = (provider: ModelProvider, readOutput: ReadResponse): ModelProvider => ({
  getModel: async (name) => wrapModel(await provider.getModel(name), readOutput),
});

/** Whether the answer was cut off, and its calls may be incomplete. */
export function isCutOff({ output, providerData }: Response): boolean {
  const { status, choices } = (providerData ?? {}) as {
    readonly status?: unknown;
    readonly choices?: readonly { readonly finish_reason?: unknown }[];
  };
  return (
    status === 'incomplete' ||
    ['length', 'content_filter'].includes(String(choices?.[0]?.finish_reason)) ||
    output.some((item) => 'status' in item && item.status !== undefined && item.status !== 'completed')
  );
}
