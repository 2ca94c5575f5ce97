/** Owns the list of scenarios, by name. */
import type { World } from '../world/world.ts';
import { badReplica } from './bad-replica.ts';
import { blackHole } from './black-hole.ts';
import { brownout } from './brownout.ts';
import { cascade } from './cascade.ts';
import { flapping } from './flapping.ts';
import { loneAgent } from './lone-agent.ts';
import { mixedEffects } from './mixed-effects.ts';
import { nominal } from './nominal.ts';
import { outage } from './outage.ts';
import { permanent } from './permanent.ts';
import { randomFailures } from './random-failures.ts';
import { rateLimit } from './rate-limit.ts';
import { retryStorm } from './retry-storm.ts';
import { sharedHost } from './shared-host.ts';
import { slowRecovery } from './slow-recovery.ts';
import { slowReplica } from './slow-replica.ts';

/** Name of a built-in world. */
export type ScenarioName =
  | 'nominal'
  | 'outage'
  | 'black_hole'
  | 'random_failures'
  | 'brownout'
  | 'rate_limit'
  | 'flapping'
  | 'permanent'
  | 'slow_recovery'
  | 'retry_storm'
  | 'bad_replica'
  | 'slow_replica'
  | 'shared_host'
  | 'cascade'
  | 'mixed_effects'
  | 'lone_agent';

/** The built-in worlds by name. */
export const scenarios: Readonly<Record<ScenarioName, World>> = {
  nominal,
  outage,
  black_hole: blackHole,
  random_failures: randomFailures,
  brownout,
  rate_limit: rateLimit,
  flapping,
  permanent,
  slow_recovery: slowRecovery,
  retry_storm: retryStorm,
  bad_replica: badReplica,
  slow_replica: slowReplica,
  shared_host: sharedHost,
  cascade,
  mixed_effects: mixedEffects,
  lone_agent: loneAgent,
};
