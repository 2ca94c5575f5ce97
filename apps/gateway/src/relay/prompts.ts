/**
 * Owns whose a prompt is, and what that server calls it.
 */
import { rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import type { NameRules } from '../catalog/names.ts';
import type { Upstream, Upstreams } from '../upstreams/upstream.ts';
import type { MergedLists } from './merged-lists.ts';

interface PromptOwner {
  readonly upstream: Upstream;
  readonly ownName: string;
}

/** Rejects with an `RpcError` for a name that can be nobody's. */
export type FindPrompt = (name: unknown) => Promise<PromptOwner>;

export function createFindPrompt(upstreams: Pick<Upstreams, 'exposed'>, offers: MergedLists, nameRules: () => NameRules): FindPrompt {
  /** For what no list has: new, or of a server whose list is not known. The server knows better. */
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
  return async (name) => {
    if (typeof name !== 'string') throw rpcError(rpcCodes.invalidParams, 'A prompt is called by its name');
    const offer = await offers.find('prompts', name);
    const owner = offer === undefined ? byPrefix(name) : { upstream: offer.upstream, ownName: offer.ownKey };
    if (owner === undefined) throw rpcError(rpcCodes.invalidParams, `Unknown prompt: ${name}`);
    return owner;
  };
}
