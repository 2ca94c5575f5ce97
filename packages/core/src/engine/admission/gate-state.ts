/** Owns what one tool's gate consists of: its settings, which it checks, and the state of its parts. */
import { createBreaker } from '../breaker/breaker.ts';
import type { Breaker } from '../breaker/types.ts';
import { Adaptive } from './adaptive/state.ts';
import { Bulkhead, limitSlots } from './bulkhead.ts';
import { limiterFor, type RateLimiter } from './rate-limiter.ts';
import { budgetFor, type RetryBudget } from './retry-budget.ts';
import { completeBreakerSettings } from '../breaker/settings.ts';
import { checkFields, type Fields } from '../settings/check.ts';
import { concurrencyFields, rateLimitFields, retryBudgetFields } from '../settings/fields.ts';
import type { GateSettings } from './types.ts';

/** Mutable, and written only by the functions of this folder. */
export class Gate {
  settings: GateSettings;
  readonly breaker: Breaker;
  readonly bulkhead: Bulkhead;
  limiter: RateLimiter | undefined;
  budget: RetryBudget | undefined;
  /** Only where calls wait for recovery. */
  adaptive: Adaptive | undefined;
  /** Until when another process of the fleet probes; the open period that ends then is left to its probe. */
  probedElsewhereUntil: number = -Infinity;
  /** What one circuit and that of its fleet know of each other. Written by `distributed/fleet`. */
  readonly fleet = {
    /** Whether it has adopted the opening of the fleet's circuit. */
    joined: false,
    /** The generation of an adopted opening; -1 for none. */
    adoptedGeneration: -1,
    /** Counts that need no report: they were reported, or are older than this process. */
    successes: 0,
    failures: 0,
  };
  /** The latest time seen: a clock that steps back counts as stopped. */
  latest: number = -Infinity;

  /**
   * @param where in front of a setting's name in errors
   * @param peer another gate of the tool: both keep its limits together
   * @throws TypeError or RangeError that names the setting, its value and the fix.
   */
  constructor(settings: GateSettings, where = '', peer?: Gate) {
    checkGateSettings(settings, where);
    const { breaker, concurrency, rateLimit, retryBudget, waitForRecovery = false } = settings;
    this.settings = settings;
    this.breaker = createBreaker(breaker === false ? {} : breaker);
    if (breaker === false) this.breaker.mode = 'disabled';
    this.bulkhead = new Bulkhead(peer?.bulkhead.slots);
    limitSlots(this.bulkhead, concurrency);
    this.limiter = peer ? peer.limiter : limiterFor(rateLimit);
    this.budget = budgetFor(retryBudget);
    this.adaptive = waitForRecovery ? new Adaptive() : undefined;
  }
}

/** A gate whose calls wait for recovery. */
export type AdaptiveGate = Gate & { adaptive: Adaptive };

export function isAdaptive(gate: Gate): gate is AdaptiveGate {
  return gate.adaptive !== undefined;
}

const limits: readonly (readonly [name: 'concurrency' | 'rateLimit' | 'retryBudget', fields: Fields, needed: readonly string[]])[] = [
  ['concurrency', concurrencyFields, ['limit', 'queue']],
  ['rateLimit', rateLimitFields, ['limit', 'windowMs']],
  ['retryBudget', retryBudgetFields, ['ratio', 'floor', 'windowMs']],
];

/** @throws TypeError or RangeError that names the setting (with `where` in front), its value and the fix. */
export function checkGateSettings(settings: GateSettings, where = ''): void {
  if (settings.breaker !== false) completeBreakerSettings(settings.breaker);
  for (const [name, fields, needed] of limits) {
    const given = settings[name];
    if (given !== undefined && given !== false) checkFields(fields, given, `${where}${name}`, undefined, needed);
  }
}
