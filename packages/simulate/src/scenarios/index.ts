/** Owns the list of scenarios, by name. */
import type { World } from '../world/world.ts';
import { badReplica } from './bad-replica.ts';
import { blackHole } from './black-hole.ts';
import { brownout } from './brownout.ts';
import { cascade } from './cascade.ts';
import { closedOutage, closedOverload } from './closed-loops.ts';
import { hastyTurns, hourTurns, longTurns } from './deadlines.ts';
import { flapping } from './flapping.ts';
import { hugeHint, shortHint, strayHint, zeroHint } from './hints.ts';
import { growingLatency, heavyTail, slowByTurns, slowTool } from './latency.ts';
import { loneAgent } from './lone-agent.ts';
import { mixedEffects } from './mixed-effects.ts';
import { nominal } from './nominal.ts';
import { outage } from './outage.ts';
import { collapse, lostReplica, overload } from './overload.ts';
import { permanent } from './permanent.ts';
import { poisonedArguments, poisonedCaller } from './poisoned.ts';
import { randomFailures } from './random-failures.ts';
import { rateLimit } from './rate-limit.ts';
import { retryStorm } from './retry-storm.ts';
import { sharedHost } from './shared-host.ts';
import { coldCache, slowRecovery, stepRecovery } from './slow-recovery.ts';
import { slowReplica } from './slow-replica.ts';
import { tightBucket, tokenBucket } from './token-bucket.ts';

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
  | 'lone_agent'
  | 'step_recovery'
  | 'cold_cache'
  | 'huge_hint'
  | 'short_hint'
  | 'zero_hint'
  | 'stray_hint'
  | 'token_bucket'
  | 'tight_bucket'
  | 'heavy_tail'
  | 'slow_by_turns'
  | 'growing_latency'
  | 'slow_tool'
  | 'closed_outage'
  | 'closed_overload'
  | 'hasty_turns'
  | 'long_turns'
  | 'hour_turns'
  | 'poisoned_caller'
  | 'poisoned_arguments'
  | 'collapse'
  | 'overload'
  | 'lost_replica';

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
  step_recovery: stepRecovery,
  cold_cache: coldCache,
  huge_hint: hugeHint,
  short_hint: shortHint,
  zero_hint: zeroHint,
  stray_hint: strayHint,
  token_bucket: tokenBucket,
  tight_bucket: tightBucket,
  heavy_tail: heavyTail,
  slow_by_turns: slowByTurns,
  growing_latency: growingLatency,
  slow_tool: slowTool,
  closed_outage: closedOutage,
  closed_overload: closedOverload,
  hasty_turns: hastyTurns,
  long_turns: longTurns,
  hour_turns: hourTurns,
  poisoned_caller: poisonedCaller,
  poisoned_arguments: poisonedArguments,
  collapse,
  overload,
  lost_replica: lostReplica,
};
