/**
 * Owns the settings of each profile. Invariant: `spec` holds the sources' numbers to the letter.
 */
import { circuitBreakerDefaults, hedgeDefaults, retryBudgetDefaults, retryDefaults } from './defaults.ts';
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

/** `spec` plus retry budgets, the rate detector, episodic memory and hedging of slow `read` tools. */
const adaptive: Profile = {
  name: 'adaptive',
  tool: {
    ...specTool,
    breaker: { ...circuitBreakerDefaults, rate: { windowMs: 30_000, minimumCalls: 20, failureRate: 0.5 } },
    retryBudget: retryBudgetDefaults,
    hedge: hedgeDefaults,
  },
  turn: { ...specTurn, maxRetries: 50 },
  useMemory: true,
};

export const profiles: Readonly<Record<ProfileName, Profile>> = { spec, service, adaptive };
