/**
 * Owns the settings of each profile. Invariant: `spec` has exactly the numbers of the specification.
 */
import { circuitBreakerDefaults, hedgeDefaults, retryDefaults, waitForRecoveryDefaults } from './defaults.ts';
import type { ToolSettings, TurnSettings } from './settings.ts';

/**
 * `spec`: the numbers of docs/specification.md; `service`: four attempts, one minute open; `adaptive`: calls wait for recovery, and limits are learned.
 */
export type ProfileName = 'spec' | 'service' | 'adaptive';

/** A named set of defaults for tools and turns. */
export interface Profile {
  /** The value of the option `profile` that selects it. */
  readonly name: ProfileName;
  /** Settings of every tool. */
  readonly tool: ToolSettings;
  /** Settings of every turn. */
  readonly turn: TurnSettings;
  /** Whether episodic memory influences decisions. It is kept in every profile. */
  readonly useMemory: boolean;
}

const specTool: ToolSettings = {
  timeoutMs: 30_000,
  idleTimeoutMs: undefined,
  abandonMs: 60_000,
  retry: retryDefaults,
  breaker: circuitBreakerDefaults,
  concurrency: false,
  rateLimit: false,
  retryBudget: false,
  hedge: false,
  effect: undefined,
  alternatives: [],
  acceptPartial: false,
  fallback: undefined,
  maxOutputChars: 10 * 1024 * 1024,
};

const specTurn: TurnSettings = { timeoutMs: 300_000, concurrency: 16, onDeadline: 'detach', maxRetries: null };

/** The numbers of docs/specification.md#s0 and #s1; the default. */
const spec: Profile = { name: 'spec', tool: specTool, turn: specTurn, useMemory: false };

/** The numbers of docs/specification.md#s4-flow: four attempts, one minute open, failures counted per call. */
const service: Profile = {
  name: 'service',
  tool: {
    ...specTool,
    retry: { ...retryDefaults, maxAttempts: 4 },
    breaker: { ...circuitBreakerDefaults, count: 'call', openMs: 60_000 },
  },
  turn: specTurn,
  useMemory: false,
};

/**
 * Calls wait for recovery, probes look for it, a tool's capacity is learned, and successes pay for retries. The numbers come from the lab (`npm run lab`): each
 * was varied in its scenarios, and balances success, requests per call and time to recover.
 */
const adaptive: Profile = {
  name: 'adaptive',
  tool: {
    ...specTool,
    // A tool that takes ten minutes is healthy: the limits are those of the turn and of the caller.
    timeoutMs: Infinity,
    assumedEffect: 'unsafe',
    unknownFailures: 'report',
    // Full jitter spreads calls that failed at the same moment. Eight attempts carry a call through 30 % random failures (0.3 ^ 8 is below 1 in 10,000); the
    // time limit is that of the wait, since waiting at the gate costs the tool nothing.
    retry: { ...retryDefaults, jitter: 'full', maxAttempts: 8, maxTotalTimeMs: 60_000 },
    breaker: {
      ...circuitBreakerDefaults,
      // A short interruption is over in a quarter of a second. Growth by 3 up to 15 s is for few callers: their probes are most of what they send; 2 and 10 s
      // cost a single agent a quarter more requests, 4 and 20 s one or two seconds of recovery on average. With many callers they do not grow (`probing.ts`).
      openMs: 250,
      openGrowth: 3,
      maxOpenMs: 15_000,
      // When requests hang, each probe hangs for its whole time limit: sixteen still probe every half second, and more often at a time limit of five seconds.
      probes: 16,
      // One false alarm in a million calls. At 30 % random failures that requires 12 in a row, and an outage brings 30 in well under a second at a busy tool.
      falseAlarmRate: 1e-6,
      longestRun: 30,
      // For tools that fail nearly always but not in a row. A tool that fails half of the time is still worth its retries.
      rate: { windowMs: 30_000, minimumCalls: 20, failureRate: 0.9 },
    },
    // Unrestricted until latency rises, so that no burst that a tool handles well ever waits.
    concurrency: {
      limit: Infinity,
      queue: Infinity,
      order: 'fresh_first',
      adaptive: { initialLimit: 1_000, minLimit: 2, maxLimit: 1_000 },
    },
    // When half of the requests fail, each success needs one retry, plus some by chance; an outage earns none, and the floor detects its end.
    retryBudget: { ratio: 1.2, floor: 10, windowMs: 10_000, of: 'successes' },
    hedge: hedgeDefaults,
    // As long as people and models wait for an answer.
    waitForRecovery: waitForRecoveryDefaults,
  },
  // A turn must not end healthy tools that take minutes, and still end what hangs.
  turn: { ...specTurn, timeoutMs: 3_600_000, maxRetries: 50 },
  useMemory: true,
};

/** The settings of each profile, by name. */
export const profiles: Readonly<Record<ProfileName, Profile>> = { spec, service, adaptive };
