/** Owns descriptions of settings that are not in the sources: their source condition, unit and missing meanings. */

export interface OptionNote {
  readonly source: string;
  readonly unit?: string;
  readonly meaning?: string;
}

const ms = 'ms';

/** By path, as in the result of `resolveSettings`. */
export const toolNotes: Readonly<Record<string, OptionNote>> = {
  timeoutMs: { source: 'S0 4.1, S1 4.1', unit: ms },
  idleTimeoutMs: { source: 'own', unit: ms },
  abandonMs: { source: 'own', unit: ms },
  'retry.strategy': { source: 'S0 2.2, S2', meaning: 'How the delay grows from attempt to attempt.' },
  'retry.initialDelayMs': { source: 'S0 2.1, S1 2.1', unit: ms },
  'retry.maxDelayMs': { source: 'S0 2.1, S1 2.1', unit: ms },
  'retry.multiplier': { source: 'S0 2.1, S1 2.1' },
  'retry.stepMs': { source: 'S2', unit: ms },
  'retry.jitter': { source: 'S1 2.2', meaning: 'How a delay is spread: `proportional`, `full`, `equal`, `decorrelated`, `none`.' },
  'retry.jitterPercent': { source: 'S0 2.1, S1 2.2', unit: '%' },
  'retry.maxAttempts': { source: 'S0 2.1, S1 2.3; S4', unit: 'attempts' },
  'retry.maxTotalTimeMs': { source: 'S0 2.1, S1 2.4', unit: ms },
  'breaker.count': { source: 'S1 3.1; S4' },
  'breaker.failureThreshold': { source: 'S0 3.2, S1 3.1', unit: 'failures' },
  'breaker.successThreshold': { source: 'S0 3.2, S1 3.3', unit: 'probes' },
  'breaker.openMs': { source: 'S0 3.2, S1 3.2; S4', unit: ms },
  'breaker.probeLeaseMs': { source: 'own', unit: ms },
  'breaker.permanentProbeLimit': { source: 'own', unit: 'probes' },
  'breaker.rate.windowMs': { source: 'own', unit: ms },
  'breaker.rate.minimumCalls': { source: 'own', unit: 'calls' },
  'breaker.rate.failureRate': { source: 'own', unit: 'share' },
  'breaker.rate.slowCallMs': { source: 'own', unit: ms },
  'breaker.rate.slowCallRate': { source: 'own', unit: 'share' },
  'concurrency.limit': { source: 'own', unit: 'calls', meaning: 'How many calls run at once.' },
  'concurrency.queue': { source: 'own', unit: 'calls', meaning: 'How many more may wait for a slot.' },
  'rateLimit.limit': { source: 'own', unit: 'calls', meaning: 'Calls that may start in a window; at most 100000.' },
  'rateLimit.windowMs': { source: 'own', unit: ms, meaning: 'Length of the window.' },
  'retryBudget.ratio': { source: 'own', unit: 'share', meaning: 'Retries per first attempt in the window.' },
  'retryBudget.floor': { source: 'own', unit: 'retries', meaning: 'Retries that are always allowed in a window.' },
  'retryBudget.windowMs': { source: 'own', unit: ms, meaning: 'Length of the window.' },
  'waitForRecovery.maxWaitMs': { source: 'own', unit: ms },
  'hedge.afterMs': { source: 'own', unit: ms },
  'hedge.maxHedges': { source: 'own', unit: 'attempts' },
  effect: { source: 'own' },
  assumedEffect: { source: 'own' },
  unknownFailures: { source: 'own' },
  alternatives: { source: 'S0 6.1, S1 6.4' },
  acceptPartial: { source: 'S0 6.1, S2' },
  fallback: { source: 'S4' },
  maxOutputChars: { source: 'own', unit: 'characters' },
};

export const turnNotes: Readonly<Record<string, OptionNote>> = {
  timeoutMs: { source: 'S0 4.2, S1 4.2', unit: ms },
  concurrency: { source: 'S0 5, S1 5.4', unit: 'calls' },
  onDeadline: { source: 'S0 4.2' },
  maxRetries: { source: 'own', unit: 'retries' },
};
