/**
 * Owns the settings of each profile. Invariant: `spec` holds the sources' numbers to the letter.
 */
import { circuitBreakerDefaults, hedgeDefaults, retryDefaults, waitForRecoveryDefaults } from './defaults.ts';
import type { ToolSettings, TurnSettings } from './settings.ts';

export type ProfileName = 'spec' | 'service' | 'adaptive';

export interface Profile {
  readonly name: ProfileName;
  readonly tool: ToolSettings;
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

/** The sources' numbers (S0, S1); the default. */
const spec: Profile = { name: 'spec', tool: specTool, turn: specTurn, useMemory: false };

/** S4's numbers: four attempts, one minute open, failures counted per call. */
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

/** Calls wait for recovery, probes look for it, what a tool can take is learned, and successes pay for retries. The numbers are the lab's. */
const adaptive: Profile = {
  name: 'adaptive',
  tool: {
    ...specTool,
    retry: { ...retryDefaults, jitter: 'full', maxAttempts: 8, maxTotalTimeMs: 60_000 },
    breaker: {
      ...circuitBreakerDefaults,
      openMs: 250,
      falseAlarmRate: 1e-6,
      longestRun: 30,
      openGrowth: 2,
      maxOpenMs: 10_000,
      probes: 16,
      rate: { windowMs: 30_000, minimumCalls: 20, failureRate: 0.9 },
    },
    concurrency: {
      limit: Infinity,
      queue: Infinity,
      order: 'fresh_first',
      adaptive: { initialLimit: 1_000, minLimit: 2, maxLimit: 1_000 },
    },
    retryBudget: { ratio: 0.6, floor: 10, windowMs: 10_000, of: 'successes' },
    hedge: hedgeDefaults,
    waitForRecovery: waitForRecoveryDefaults,
  },
  turn: { ...specTurn, maxRetries: 50 },
  useMemory: true,
};

export const profiles: Readonly<Record<ProfileName, Profile>> = { spec, service, adaptive };
