/**
 * Owns whose a resource is.
 *
 * Invariants
 * 1. The server that lists a URI has it; of several the first of the manifest.
 * 2. A URI that nobody lists is looked for where a template fits, the most specific first, then everywhere; who has answered for it once is asked first.
 * 3. A server that has said that it has no resources is not asked; one that has not greeted is asked for what it is known to have alone.
 * 4. What is remembered is bounded.
 */
import type { Upstream, Upstreams } from '../upstreams/upstream.ts';
import type { ServerInfo } from './server-info.ts';
import type { MergedLists } from './merged-lists.ts';
import { templateFit } from './template.ts';

export interface ResourceOwners {
  /** Whom to ask for a URI, one after the other. */
  readonly of: (uri: string) => Promise<readonly Upstream[]>;
  /** Who might have something, and has said nothing yet. */
  readonly silent: () => readonly Upstream[];
  /** It has answered for the URI. */
  readonly remember: (uri: string, upstream: Upstream) => void;
}

const mostRemembered = 2000;

export function createResourceOwners(
  upstreams: Pick<Upstreams, 'exposed' | 'get'>,
  greetings: ServerInfo,
  offers: MergedLists,
): ResourceOwners {
  const answered = new Map<string, string>();

  const remembered = (uri: string): Upstream | undefined => {
    const upstream = upstreams.get(answered.get(uri) ?? '');
    return upstream?.isExposed === true ? upstream : undefined;
  };
  return {
    async of(uri) {
      const all = upstreams.exposed().filter((upstream) => greetings.mayHave(upstream, 'resources'));
      if (all.length < 2) return all;
      const listed = await offers.find('resources', uri);
      if (listed !== undefined) return [listed.upstream];
      const before = remembered(uri);
      const fitting = [...(await offers.settled('templates')).values()]
        .flatMap(({ upstream, ownKey }) => {
          const fit = templateFit(ownKey, uri);
          return fit === undefined ? [] : [{ upstream, fit }];
        })
        .toSorted((one, other) => other.fit - one.fit);
      const greeted = all.filter((upstream) => greetings.known(upstream) !== undefined);
      return [...new Set([...(before === undefined ? [] : [before]), ...fitting.map(({ upstream }) => upstream), ...greeted])];
    },
    silent: () => upstreams.exposed().filter((upstream) => greetings.known(upstream) === undefined),
    remember(uri, { name }) {
      answered.delete(uri);
      answered.set(uri, name);
      const oldest = answered.keys().next();
      if (answered.size > mostRemembered && oldest.done !== true) answered.delete(oldest.value);
    },
  };
}
