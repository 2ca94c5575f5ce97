/**
 * Owns `completion/complete`: forwarded to the server that owns the prompt or resource template.
 */
import { type ClientRequest, type ConnectedClient, isJsonObject, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Forward } from './forward.ts';
import type { ServerInfo } from './server-info.ts';
import type { MayBeUsed, MergedLists } from './merged-lists.ts';
import type { ResourceOwners } from './resource-owners.ts';
import { forwardedParams } from './params.ts';
import type { FindPrompt } from './prompts.ts';

export interface CompletionOptions {
  readonly forward: Forward;
  readonly serverInfo: ServerInfo;
  readonly offers: MergedLists;
  readonly owners: ResourceOwners;
  readonly findPrompt: FindPrompt;
  readonly mayBeUsed: (client: ConnectedClient) => MayBeUsed;
}

export type Complete = (request: ClientRequest) => Promise<JsonObject>;

const nothing: JsonObject = { completion: { values: [], total: 0, hasMore: false } };

export function createComplete({ forward, serverInfo, offers, owners, findPrompt, mayBeUsed }: CompletionOptions): Complete {
  const ownerOfUri = async (uri: unknown): Promise<Upstream | undefined> => {
    if (typeof uri !== 'string') throw rpcError(rpcCodes.invalidParams, 'The reference requires a uri');
    const template = await offers.find('templates', uri);
    return template?.upstream ?? (await owners.of(uri)).find((upstream) => serverInfo.mayHave(upstream, 'completions'));
  };
  return async (request) => {
    const { ref } = request.params;
    if (!isJsonObject(ref)) throw rpcError(rpcCodes.invalidParams, 'completion/complete requires a ref');
    const prompt = ref['type'] === 'ref/prompt' ? await findPrompt(ref['name'], request.client) : undefined;
    const upstream = prompt?.upstream ?? (await ownerOfUri(ref['uri']));
    if (upstream === undefined || mayBeUsed(request.client)?.(upstream) === false || !serverInfo.mayHave(upstream, 'completions'))
      return nothing;
    const asked = prompt === undefined ? ref : { ...ref, name: prompt.ownName };
    return forward(request, upstream, forwardedParams(request.params, { ref: asked }), { isRead: true });
  };
}
