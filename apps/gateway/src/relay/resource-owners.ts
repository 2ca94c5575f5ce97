/**
 * Owns which server has a resource.
 *
 * Invariants
 * 1. The server that lists a URI has it; if several do, the first of the manifest.
 * 2. A URI that no server lists is tried where a template matches, the most specific first, then everywhere. A server that has answered before is tried first.
 * 3. A server without the capability is not asked; one before its handshake is asked only for what it is known to have.
 * 4. A server that has never been connected for want of a login is asked last: it fails at once, and the failure says where to log in.
 * 5. The number of remembered URIs is bounded.
 */
import type { Upstream, Upstreams } from '../upstreams/upstream.ts';
import type { ServerInfo } from './server-info.ts';
import type { MergedLists } from './merged-lists.ts';
import { templateFit } from './template.ts';

export interface ResourceOwners {
  /** Returns the servers to try for a URI, in order. */
  readonly of: (uri: string) => Promise<readonly Upstream[]>;
  /** Returns the servers before their handshake, which may have resources. */
  readonly silent: () => readonly Upstream[];
  /** Remembers that the server has answered for the URI. */
  readonly remember: (uri: string, upstream: Upstream) => void;
}

const maxRemembered = 2000;

export function createResourceOwners(
  upstreams: Pick<Upstreams, 'exposed' | 'get' | 'status'>,
  serverInfo: ServerInfo,
  offers: MergedLists,
): ResourceOwners {
  const answered = new Map<string, string>();

  const rememberedOwner = (uri: string): Upstream | undefined => {
    const upstream = upstreams.get(answered.get(uri) ?? '');
    return upstream?.isExposed === true ? upstream : undefined;
  };
  const withoutLogin = (all: readonly Upstream[]): readonly Upstream[] => {
    const names = new Set(upstreams.status().flatMap(({ name, loginRequired }) => (loginRequired === undefined ? [] : [name])));
    return all.filter(({ name }) => names.has(name));
  };
  return {
    async of(uri) {
      const all = upstreams.exposed().filter((upstream) => serverInfo.mayHave(upstream, 'resources'));
      if (all.length < 2) return all;
      const listed = await offers.find('resources', uri);
      if (listed !== undefined) return [listed.upstream];
      const before = rememberedOwner(uri);
      const fitting = [...(await offers.requestOffers('templates')).values()]
        .flatMap(({ upstream, ownKey }) => {
          const fit = templateFit(ownKey, uri);
          return fit === undefined ? [] : [{ upstream, fit }];
        })
        .toSorted((one, other) => other.fit - one.fit);
      const known = all.filter((upstream) => serverInfo.known(upstream) !== undefined);
      const first = [...(before === undefined ? [] : [before]), ...fitting.map(({ upstream }) => upstream)];
      return [...new Set([...first, ...known, ...withoutLogin(all)])];
    },
    silent: () => upstreams.exposed().filter((upstream) => serverInfo.known(upstream) === undefined),
    remember(uri, { name }) {
      answered.delete(uri);
      answered.set(uri, name);
      const oldest = answered.keys().next();
      if (answered.size > maxRemembered && oldest.done !== true) answered.delete(oldest.value);
    },
  };
}
