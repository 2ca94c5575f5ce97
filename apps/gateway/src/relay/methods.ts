/**
 * Owns which part of the relay handles which method.
 */
import { type ClientRequest, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { createComplete } from './completion.ts';
import type { RelayOptions } from './options.ts';
import { forwardedParams } from './params.ts';
import type { RelayParts } from './compose-relay.ts';
import { createFindPrompt } from './prompts.ts';
import { createReadResource } from './resources.ts';

type Handle = (request: ClientRequest) => Promise<JsonObject>;

export function createHandle({ upstreams, settings, readSpilled }: RelayOptions, parts: RelayParts): Handle {
  const { offers, owners, serverInfo, forward, limits } = parts;
  const findPrompt = createFindPrompt(upstreams, offers, () => settings().names);

  const methods: Readonly<Record<string, Handle>> = {
    'resources/list': ({ params }) => offers.page('resources', params['cursor']),
    'resources/templates/list': ({ params }) => offers.page('templates', params['cursor']),
    'prompts/list': ({ params }) => offers.page('prompts', params['cursor']),
    'resources/read': createReadResource({ forward, owners, readSpilled, probeMs: limits.requestMs / 3 }),
    'completion/complete': createComplete({ forward, serverInfo, offers, owners, findPrompt }),
    async 'prompts/get'(request) {
      const { upstream, ownName } = await findPrompt(request.params['name']);
      return forward(request, upstream, forwardedParams(request.params, { name: ownName }), { isRead: true });
    },
  };
  /** Relays unknown methods, such as those of extensions, if there is a single server. Some of them take long. */
  const relayUnknown: Handle = (request) => {
    const [only, ...others] = upstreams.exposed();
    if (only === undefined || others.length > 0) throw rpcError(rpcCodes.methodNotFound, `Method not found: ${request.method}`);
    return forward(request, only, forwardedParams(request.params), { limitMs: settings().inputTimeoutMs });
  };
  return async (request) => {
    const answer = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
    return (answer ?? relayUnknown)(request);
  };
}
