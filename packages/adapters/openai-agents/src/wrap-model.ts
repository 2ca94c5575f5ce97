/** Owns listening to a model: its calls are told before the SDK reads them, which may put others in their place. */
import type { Model, ModelProvider, ModelResponse } from '@openai/agents';

/** What is reported about a response. */
export type Response = Pick<ModelResponse, 'output' | 'providerData'>;

type ReadResponse = (response: Response) => ModelResponse['output'];

export function wrapModel(model: Model, hear: ReadResponse): Model {
  const changes: Pick<Model, 'getResponse' | 'getStreamedResponse'> = {
    async getResponse(request) {
      const response = await model.getResponse(request);
      return { ...response, output: hear(response) };
    },
    async *getStreamedResponse(request) {
      for await (const event of model.getStreamedResponse(request)) {
        if (event.type !== 'response_done') yield event;
        else yield { ...event, response: { ...event.response, output: hear(event.response as Response) as typeof event.response.output } };
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

export const wrapProvider = (provider: ModelProvider, hear: ReadResponse): ModelProvider => ({
  getModel: async (name) => wrapModel(await provider.getModel(name), hear),
});

/** The answer was cut off, so that its calls may be, too. */
export function isCutOff({ output, providerData }: Response): boolean {
  const { status, choices } = (providerData ?? {}) as {
    readonly status?: unknown;
    readonly choices?: readonly { readonly finish_reason?: unknown }[];
  };
  return (
    status === 'incomplete' ||
    choices?.[0]?.finish_reason === 'length' ||
    output.some((item) => 'status' in item && item.status === 'incomplete')
  );
}
