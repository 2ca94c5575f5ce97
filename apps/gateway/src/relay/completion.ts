/**
 * Owns `completion/complete`: asked of the server whose prompt or resource template it is.
 */
import { type FaceRequest, isJsonObject, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Forward } from './forward.ts';
import type { ServerInfo } from './server-info.ts';
import type { MergedLists } from './merged-lists.ts';
import type { ResourceOwners } from './resource-owners.ts';
import { onward } from './params.ts';
import type { FindPrompt } from './prompts.ts';

export interface CompletionOptions {
  readonly forward: Forward;
  readonly greetings: ServerInfo;
  readonly offers: MergedLists;
  readonly owners: ResourceOwners;
  readonly findPrompt: FindPrompt;
}

export type Complete = (request: FaceRequest) => Promise<JsonObject>;

const nothing: JsonObject = { completion: { values: [], total: 0, hasMore: false } };

export function createComplete({ forward, greetings, offers, owners, findPrompt }: CompletionOptions): Complete {
  const ownerOfUri = async (uri: unknown): Promise<Upstream | undefined> => {
    if (typeof uri !== 'string') throw rpcError(rpcCodes.invalidParams, 'The reference needs a uri');
    const template = await offers.find('templates', uri);
    return template?.upstream ?? (await owners.of(uri)).find((upstream) => greetings.mayHave(upstream, 'completions'));
  };
  return async (request) => {
    const { ref } = request.params;
    if (!isJsonObject(ref)) throw rpcError(rpcCodes.invalidParams, 'completion/complete needs a ref');
    const prompt = ref['type'] === 'ref/prompt' ? await findPrompt(ref['name']) : undefined;
    const upstream = prompt?.upstream ?? (await ownerOfUri(ref['uri']));
    if (upstream === undefined || !greetings.mayHave(upstream, 'completions')) return nothing;
    const asked = prompt === undefined ? ref : { ...ref, name: prompt.ownName };
    return forward(request, upstream, onward(request.params, { ref: asked }), { isRead: true });
  };
}
