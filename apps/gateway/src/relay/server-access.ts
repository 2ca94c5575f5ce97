/**
 * Owns which servers a client may use besides calling their tools: those with at least one tool that exists for it.
 *
 * Invariant: a server that a client may not use does not exist for it.
 */
import type { ConnectedClient } from '@holdfast/mcp-wire/server';
import { type Access, accessOf } from '../access/access.ts';
import type { Upstream, Upstreams } from '../upstreams/upstream.ts';

export interface ListedTool {
  readonly name: string;
  readonly source: { readonly kind: string; readonly server?: string };
}

export type MayUse = (access: Access, upstream: Upstream) => boolean;

/** Returns the server of requests that name none: the only one that the client may use. */
export function createOnlyServer(
  upstreams: Pick<Upstreams, 'exposed'>,
  mayUse: MayUse,
): (client: Pick<ConnectedClient, 'access'>) => Upstream | undefined {
  return (client) => {
    const access = accessOf(client);
    const [only, ...others] = upstreams.exposed().filter((upstream) => mayUse(access, upstream));
    return others.length === 0 ? only : undefined;
  };
}

/** `tools`: the offered tools; a change creates a new array. */
export function createMayUse(tools: () => readonly ListedTool[]): MayUse {
  const known = new WeakMap<Access, { readonly tools: readonly ListedTool[]; readonly servers: ReadonlySet<string> }>();
  return (access, { name }) => {
    if (access.allowsAll) return true;
    const current = tools();
    let entry = known.get(access);
    if (entry?.tools !== current) {
      const servers = new Set(
        current.flatMap((tool) => (tool.source.server !== undefined && access.allows(tool.name) ? [tool.source.server] : [])),
      );
      entry = { tools: current, servers };
      known.set(access, entry);
    }
    return entry.servers.has(name);
  };
}
