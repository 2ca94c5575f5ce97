/**
 * Owns which server has a prompt, and the server's name for it.
 */
import { type ConnectedClient, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import type { NameRules } from '../catalog/names.ts';
import type { Upstream, Upstreams } from '../upstreams/upstream.ts';
import type { ServerLists } from './server-lists.ts';
import type { MayBeUsed, MergedLists } from './merged-lists.ts';

interface PromptOwner {
  readonly upstream: Upstream;
  readonly ownName: string;
}

/** Rejects with an `RpcError` for a name that no server can have. */
export type FindPrompt = (name: unknown, client: ConnectedClient) => Promise<PromptOwner>;

export function createFindPrompt(
  upstreams: Pick<Upstreams, 'exposed'>,
  offers: MergedLists,
  nameRules: () => NameRules,
  mayBeUsed: (client: ConnectedClient) => MayBeUsed,
  withheldReason: ServerLists['withheldReason'],
): FindPrompt {
  /** Finds the owner by prefix if no list has the prompt: it may be new, or its server's list is not known. */
  const byPrefix = (name: string): PromptOwner | undefined => {
    const { separator } = nameRules();
    const all = upstreams.exposed();
    const owners = all.flatMap((upstream): readonly (PromptOwner & { readonly length: number })[] => {
      const start = upstream.entry.prefix === '' ? '' : `${upstream.entry.prefix}${separator}`;
      const isPossible = start === '' ? all.length === 1 : name.startsWith(start);
      return isPossible ? [{ upstream, ownName: name.slice(start.length), length: start.length }] : [];
    });
    return owners.toSorted((one, other) => other.length - one.length)[0];
  };
  return async (name, client) => {
    if (typeof name !== 'string') throw rpcError(rpcCodes.invalidParams, "prompts/get requires 'name', the name of a prompt");
    const offer = await offers.find('prompts', name);
    const owner = offer === undefined ? byPrefix(name) : { upstream: offer.upstream, ownName: offer.ownKey };
    if (owner === undefined || mayBeUsed(client)?.(owner.upstream) === false)
      throw rpcError(rpcCodes.invalidParams, `Unknown prompt: ${name}`);
    const reason = withheldReason(owner.upstream, 'prompts', owner.ownName);
    if (reason !== undefined) throw rpcError(rpcCodes.invalidParams, reason);
    return owner;
  };
}
