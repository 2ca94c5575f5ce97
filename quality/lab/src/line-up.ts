/** Owns the contenders and worlds of a full run, and their order. */
import { scenarios } from '@holdfast/simulate';
import { oracle, peerModels } from '@holdfast/simulate/peers';

/** The worlds with targets for the profile; `scenarios` has more. */
export const judgedWorlds: readonly string[] = [
  'nominal',
  'outage',
  'black_hole',
  'random_failures',
  'brownout',
  'rate_limit',
  'flapping',
  'permanent',
];

/** Worlds in which parts of the profile matter. */
export const ablationWorlds: readonly string[] = [
  ...judgedWorlds.filter((name) => name !== 'nominal' && name !== 'permanent'),
  'slow_replica',
];

export function everyWorld(): readonly string[] {
  return [...judgedWorlds, ...Object.keys(scenarios).filter((name) => !judgedWorlds.includes(name))];
}

const profiles: readonly string[] = ['adaptive', 'service', 'spec'];

/** Numbers of processes that share nothing. */
export const topologies: readonly number[] = [1, 10, 60, 200];

/** Those that a contest in a generated world compares with, besides `none`. */
export const goodPeers: readonly string[] = ['aws-2026', 'aws-adaptive', 'finagle', 'openai-sdk', 'grpc', 'polly', 'resilience4j'];

export function isPeer(policy: string): boolean {
  return policy === oracle.name || peerModels.some(({ name }) => name === policy);
}

/** The policies that run in every topology. */
export const topologyPolicies: readonly string[] = ['adaptive', 'none', ...goodPeers];

/** The oracle knows the future: no rival. */
export const bounds: readonly string[] = [oracle.name];

export function everyPolicy(): readonly string[] {
  return [...profiles, ...peerModels.map(({ name }) => name), oracle.name];
}
