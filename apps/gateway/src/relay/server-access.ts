/**
 * Owns which servers a client may use besides calling their tools: those with at least one tool that exists for it.
 *
 * Invariant: a server that a client may not use does not exist for it.
 */
import type { Access } from '../access/access.ts';
import type { Upstream } from '../upstreams/upstream.ts';

export interface ListedTool {
  readonly name: string;
  readonly source: { readonly kind: string; readonly server?: string };
}

export type MayUse = (access: Access, upstream: Upstream) => boolean;

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
