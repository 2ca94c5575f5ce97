/**
 * Owns which part of the relay handles which method.
 */
import { type ClientRequest, type ConnectedClient, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { createComplete } from './completion.ts';
import type { RelayOptions } from './options.ts';
import { forwardedParams } from './params.ts';
import type { RelayParts } from './compose-relay.ts';
import { createFindPrompt } from './prompts.ts';
import { accessOf } from '../access/access.ts';
import type { MayBeUsed } from './merged-lists.ts';
import { createReadResource } from './resources.ts';
import type { ServerLists } from './server-lists.ts';

type Handle = (request: ClientRequest) => Promise<JsonObject>;

export function createHandle({ upstreams, settings, readSpilled }: RelayOptions, parts: RelayParts): Handle {
  const { lists, offers, owners, serverInfo, forward, limits, mayUse, onlyServer, keepsApart, tasks } = parts;
  const mayBeUsed = (client: ConnectedClient): MayBeUsed => {
    const access = accessOf(client);
    return access.allowsAll ? undefined : (upstream) => mayUse(access, upstream);
  };
  const withheldReason: ServerLists['withheldReason'] = (...item) => lists.withheldReason(...item);
  const findPrompt = createFindPrompt(upstreams, offers, () => settings().names, mayBeUsed, withheldReason);

  const methods: Readonly<Record<string, Handle>> = {
    'resources/list': ({ params, client }) => offers.page('resources', params['cursor'], mayBeUsed(client)),
    'resources/templates/list': ({ params, client }) => offers.page('templates', params['cursor'], mayBeUsed(client)),
    'prompts/list': ({ params, client }) => offers.page('prompts', params['cursor'], mayBeUsed(client)),
    'resources/read': createReadResource({
      forward,
      owners,
      readSpilled,
      mayBeUsed,
      withheldReason,
      keepsApart,
      probeMs: limits.requestMs / 3,
    }),
    'completion/complete': createComplete({ forward, serverInfo, offers, owners, findPrompt, mayBeUsed }),
    async 'prompts/get'(request) {
      const { upstream, ownName } = await findPrompt(request.params['name'], request.client);
      return forward(request, upstream, forwardedParams(request.params, { name: ownName }), { isRead: true });
    },
  };
  /** Relays unknown methods, such as those of extensions, if there is a single server. Some of them take long. */
  const relayUnknown: Handle = async (request) => {
    const only = onlyServer(request.client);
    if (only === undefined) throw rpcError(rpcCodes.methodNotFound, `Method not found: ${request.method}`);
    tasks.check(request);
    const result = await forward(request, only, forwardedParams(request.params), { limitMs: settings().inputTimeoutMs });
    tasks.note(request, result);
    return tasks.ownOnly(request, result);
  };
  return async (request) => {
    const answer = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
    return (answer ?? relayUnknown)(request);
  };
}
