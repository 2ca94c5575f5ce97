/**
 * Owns the settings of each profile. Invariant: `spec` holds the sources' numbers to the letter.
 */
import { circuitBreakerDefaults, hedgeDefaults, retryDefaults, waitForRecoveryDefaults } from './defaults.ts';
import type { ToolSettings, TurnSettings } from './settings.ts';

/**
 * `spec`: the numbers of docs/specification.md; `service`: four attempts, one minute open; `adaptive`: calls wait for recovery, and limits are learned.
 */
export type ProfileName = 'spec' | 'service' | 'adaptive';

/** A named set of defaults for tools and turns. */
export interface Profile {
  /** The name that the option `profile` selects it by. */
  readonly name: ProfileName;
  /** Settings of every tool. */
  readonly tool: ToolSettings;
  /** Settings of every turn. */
  readonly turn: TurnSettings;
  /** Episodic memory may shape decisions. It is kept in every profile. */
  readonly useMemory: boolean;
}

const specTool: ToolSettings = {
  timeoutMs: 30_000,
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

/** The sources' numbers (docs/specification.md#s0, #s1); the default. */
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
 * Calls wait for recovery, probes look for it, a tool's capacity is learned, and successes pay for retries. The numbers come from the lab (`npm run lab`): each was
 * varied in its scenarios, and is where success, requests per call and time to recover balance.
 */
const adaptive: Profile = {
  name: 'adaptive',
  tool: {
    ...specTool,
    // Full jitter spreads what failed at one moment. Eight attempts carry a call through failures of 30 % at random (0.3 ^ 8 is below 1 in 10,000); the time is
    // that of the wait, since what waits at the gate costs the tool nothing.
    retry: { ...retryDefaults, jitter: 'full', maxAttempts: 8, maxTotalTimeMs: 60_000 },
    breaker: {
      ...circuitBreakerDefaults,
      // A hiccup is over in a quarter of a second. Growth by 3 up to 15 s is for few callers: their probes are most of what they send; 2 and 10 s cost a single agent a
      // quarter more requests, 4 and 20 s a second or two of recovery in the mean. With many callers openings do not grow (`probing.ts`).
      openMs: 250,
      openGrowth: 3,
      maxOpenMs: 15_000,
      // In a black hole each probe hangs for its whole time limit: sixteen still look every half second and more often behind a limit of five.
      probes: 16,
      // One false alarm in a million calls. At 30 % random failures that asks for 12 in a row, and an outage brings 30 in well under a second of a busy tool.
      falseAlarmRate: 1e-6,
      longestRun: 30,
      // For what fails nearly always but not in a row. A tool that fails half of the time is still worth its retries.
      rate: { windowMs: 30_000, minimumCalls: 20, failureRate: 0.9 },
    },
    // Open until latency speaks, so that no burst that a tool takes well ever waits.
    concurrency: {
      limit: Infinity,
      queue: Infinity,
      order: 'fresh_first',
      adaptive: { initialLimit: 1_000, minLimit: 2, maxLimit: 1_000 },
    },
    // When half of the requests fail, each success needs one retry, and chance some more; an outage earns nothing, and the floor detects its end.
    retryBudget: { ratio: 1.2, floor: 10, windowMs: 10_000, of: 'successes' },
    hedge: hedgeDefaults,
    // As long as people and models wait for an answer.
    waitForRecovery: waitForRecoveryDefaults,
  },
  turn: { ...specTurn, maxRetries: 50 },
  useMemory: true,
};

/** The settings of each profile, by name. */
export const profiles: Readonly<Record<ProfileName, Profile>> = { spec, service, adaptive };
