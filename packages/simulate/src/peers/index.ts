/** The entry `@holdfast/simulate/peers`: models of other libraries' policies, with the sources of their defaults. */
export { peer } from './contender.ts';
export { peerModels } from './catalogue.ts';
export { oracle } from './oracle.ts';
export type { RequestOutcome, PeerClock, PeerModel, Layer, SendCall } from './policy.ts';
export { contenderNamed, namedContenders } from './named.ts';
export type { NamedContender } from './named.ts';
