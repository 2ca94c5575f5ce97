/**
 * Owns the settings of each profile. Invariant: `spec` has exactly the numbers of the specification.
 */
import { circuitBreakerDefaults, hedgeDefaults, retryDefaults, waitForRecoveryDefaults } from './defaults.ts';
import type { ToolSettings, TurnSettings } from './settings.ts';

/**
 * `spec`: the numbers of docs/specification.md; `service`: four attempts, one minute open; `adaptive`: calls wait for recovery, and successes pay for retries.
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
  /** Whether episodic memory is kept, and influences decisions, unless the service's `useMemory` says otherwise. */
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
 * Calls wait for recovery, successes pay for retries, and the backlog of an outage leaves at the tool's own rate (`../admission/adaptive`). The layer slows only
 * what it adds.
 */
const adaptive: Profile = {
  name: 'adaptive',
  tool: {
    ...specTool,
    // A tool that takes ten minutes is healthy: the limits are those of the turn and of the caller.
    timeoutMs: Infinity,
    assumedEffect: 'unsafe',
    unknownFailures: 'report',
    // Full jitter spreads calls that failed at the same moment. Eight attempts carry a call through 30 % random failures (0.3 ^ 8 is below 1 in 10,000).
    retry: { ...retryDefaults, initialDelayMs: 200, maxDelayMs: 5_000, jitter: 'full', maxAttempts: 8, maxTotalTimeMs: 60_000 },
    // Five different calls open the circuit; a probe follows after half a second, or after the mean time between two calls. The lease of a probe is the gate's.
    breaker: { ...circuitBreakerDefaults, count: 'call', openMs: 500 },
    hedge: hedgeDefaults,
    waitForRecovery: waitForRecoveryDefaults,
  },
  // A turn must not end healthy tools that take minutes, and still end what hangs. Its calls start at once, as they would without the layer.
  turn: { ...specTurn, timeoutMs: 3_600_000, concurrency: Infinity, maxRetries: 50 },
  useMemory: true,
};

/** The settings of each profile, by name. */
export const profiles: Readonly<Record<ProfileName, Profile>> = { spec, service, adaptive };
