/**
 * Owns every default number of Holdfast, by profile. Invariant: `spec` holds the sources' numbers to the letter.
 */
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
  retry: {
    strategy: 'exponential_backoff',
    initialDelayMs: 100,
    maxDelayMs: 800,
    multiplier: 2,
    stepMs: 100,
    jitter: 'proportional',
    jitterPercent: 10,
    maxAttempts: 5,
    maxTotalTimeMs: 2_000,
  },
  breaker: {
    count: 'attempt',
    failureThreshold: 5,
    successThreshold: 1,
    openMs: 30_000,
    probeLeaseMs: 60_000,
    permanentProbeLimit: 3,
  },
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
    retry: { ...specTool.retry, maxAttempts: 4 },
    breaker: { ...(specTool.breaker as Exclude<ToolSettings['breaker'], false>), count: 'call', openMs: 60_000 },
  },
  turn: specTurn,
  useMemory: false,
};

/** `spec` plus retry budgets, the rate detector, episodic memory and hedging of slow `read` tools. */
const adaptive: Profile = {
  name: 'adaptive',
  tool: {
    ...specTool,
    breaker: {
      ...(specTool.breaker as Exclude<ToolSettings['breaker'], false>),
      rate: { windowMs: 30_000, minimumCalls: 20, failureRate: 0.5 },
    },
    retryBudget: { ratio: 0.2, floor: 10, windowMs: 10_000 },
    hedge: { afterMs: 'p95', maxHedges: 1 },
  },
  turn: { ...specTurn, maxRetries: 50 },
  useMemory: true,
};

export const profiles: Readonly<Record<ProfileName, Profile>> = { spec, service, adaptive };
