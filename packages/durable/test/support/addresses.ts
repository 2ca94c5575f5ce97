import type { TurnClientOptions } from '../../src/index.ts';
import type { RestateServer } from '../../src/testing/index.ts';

/** What a client needs of a server. */
export function addressesOf({ ingressUrl, adminUrl }: RestateServer): TurnClientOptions {
  return { ingressUrl, adminUrl };
}
