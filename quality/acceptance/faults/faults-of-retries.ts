/** Faults for the conditions of S0 1 to 3 and S1 1 to 3. */
import { faultsIn, type Fault } from './fault.ts';

const classification = faultsIn('packages/core/src/engine/classify', [
  [
    'the words of a timeout are a permanent error',
    'phrases.ts',
    'is.timeout,\n    `time[ds]?',
    'is.invalidInput,\n    `time[ds]?',
    'S1-1.1 S0-1.1',
  ],
  [
    'the words of invalid input are a transient error',
    'phrases.ts',
    'is.invalidInput,\n    `invalid|',
    'is.unavailable,\n    `invalid|',
    'S1-1.2 S0-1.2',
  ],
  ['429 is permanent', 'http-statuses.ts', "[is.rateLimit, '420 429']", "[is.quota, '420 429']", 'S1-1.3 S0-1.3 S4-strategy'],
  ['401 is transient', 'http-statuses.ts', "[is.auth, '401 407 511']", "[is.unavailable, '401 407 511']", 'S1-1.4 S0-1.3 S4-retry'],
  [
    'a rule of the manifest cannot make an error permanent',
    'classify.ts',
    'if (own) {',
    "if (own?.source.as === 'transient') {",
    'S1-1.5 S0-1.3',
  ],
  ['unknown errors are permanent', 'verdict.ts', "transient('unknown', true)", "permanent('unknown', true)", 'S0-1.1 S0-1.3'],
]);

const retries = faultsIn('packages/core/src/engine', [
  ['delays grow by a factor of 3', 'settings/defaults.ts', 'multiplier: 2,', 'multiplier: 3,', 'S1-2.1 S0-2.1'],
  [
    'every delay is that of the next retry',
    'backoff/backoff.ts',
    'multiplier ** (retry - 1);',
    'multiplier ** retry;',
    'S1-2.1 S1-2.5 S0-2.2 S0-2.3 S4-retry S4-single',
  ],
  ['jitter only adds to a delay', 'backoff/backoff.ts', '(2 * random - 1)', 'random', 'S1-2.2 S0-2.2'],
  ['12 % jitter', 'settings/defaults.ts', 'jitterPercent: 10,', 'jitterPercent: 12,', 'S1-2.2 S0-2.1'],
  [
    'all calls draw the same jitter',
    'call/decision-facts.ts',
    'drawAt(spec.seed, spec.turnId, spec.callKey, String(attempts + 1))',
    'drawAt(spec.seed, String(attempts + 1))',
    'S0-2.1',
  ],
  ['one attempt too many', 'recover/decide.ts', 'counted < maxAttempts,', 'counted <= maxAttempts,', 'S1-2.3 S1-2.5 S0-2.3 S4-retry'],
  ['six attempts by default', 'settings/defaults.ts', 'maxAttempts: 5,', 'maxAttempts: 6,', 'S1-2.3 S0-2.1'],
  ['3 s for retries by default', 'settings/defaults.ts', 'maxTotalTimeMs: 2_000,', 'maxTotalTimeMs: 3_000,', 'S1-2.4 S0-2.1'],
  [
    'the retry clock starts with the call',
    'call/decision-facts.ts',
    '? 0 : now - target.firstFailureAt,',
    '? 0 : now - state.startedAt,',
    'S1-2.4 S1-4.1 S1-4.3 S0-4.1',
  ],
  ['a retry may start at the limit', 'recover/decide.ts', 'startsAfter < limit,', 'startsAfter <= limit,', 'S0-2.2'],
  [
    'max_delay_ms cannot be raised',
    'backoff/backoff.ts',
    'Math.min(grown, maxDelayMs,',
    'Math.min(grown, maxDelayMs, 800,',
    'S1-2.5 S0-2.2',
  ],
  [
    'the cap comes after the jitter',
    'backoff/backoff.ts',
    'return delay * (1 + (settings.jitterPercent / 100) * (2 * random - 1));',
    'return Math.min(delay * (1 + (settings.jitterPercent / 100) * (2 * random - 1)), settings.maxDelayMs);',
    'S0-2.3',
  ],
  [
    'no retries in turns',
    'recover/decide.ts',
    "inputs.classification === 'transient', inputs",
    "inputs.classification === 'transient' && inputs.turnTimeLeftMs === undefined, inputs",
    'S0-5.1 S0-4.3 S1-7.3',
  ],
]);

const circuits = faultsIn('packages/core/src/engine', [
  [
    'the sixth failure opens the circuit',
    'breaker/breaker.ts',
    'breaker.failureCount >= breaker.settings.failureThreshold',
    'breaker.failureCount > breaker.settings.failureThreshold',
    'S1-3.1 S1-3.5 S1-7.1 S0-3.2 S0-3.3 S4-circuit',
  ],
  ['a circuit stays open for 31 s', 'breaker/settings.ts', 'openMs: 30_000,', 'openMs: 31_000,', 'S1-3.2 S0-3.1 S0-3.2'],
  ['several probes at once', 'breaker/breaker.ts', '(breaker.probeOut ? breaker.leaseUntil : now)', 'now', 'S1-3.2'],
  [
    'a failed probe halves the open period',
    'breaker/breaker.ts',
    "openCircuit(breaker, 'probe_failed', now)",
    "openCircuit(breaker, 'probe_failed', now, now + breaker.openMs / 2)",
    'S1-3.2 S0-3.3 S4-circuit',
  ],
  [
    'a closed circuit keeps its count',
    'breaker/transition.ts',
    "breaker.failureCount = 0;\n  enter(breaker, 'closed', reason)",
    "enter(breaker, 'closed', reason)",
    'S1-3.3 S0-3.3 S4-circuit S4-methods',
  ],
  [
    'two successes close a circuit',
    'breaker/settings.ts',
    'successThreshold: 1,',
    'successThreshold: 2,',
    'S1-3.3 S0-3.1 S0-3.2 S4-circuit',
  ],
  [
    'success_threshold is ignored',
    'breaker/breaker.ts',
    'breaker.probeSuccesses >= successThreshold',
    'breaker.probeSuccesses >= 1',
    'S0-3.2',
  ],
  [
    'permanent errors count',
    'breaker/breaker.ts',
    "outcome === 'transient' ? breaker.failureCount + 1 : 0",
    "outcome === 'success' ? 0 : breaker.failureCount + 1",
    'S1-3.4 S1-7.2 S0-3.4 S4-retry',
  ],
  [
    'permanent errors do not reset the count',
    'breaker/breaker.ts',
    "outcome === 'transient' ? breaker.failureCount + 1 : 0",
    "outcome === 'transient' ? breaker.failureCount + 1 : outcome === 'permanent' ? breaker.failureCount : 0",
    'S1-7.2',
  ],
  [
    'rate limits do not count',
    'call/failure.ts',
    "classification === 'permanent' && isUnknown(meaning) ? 'neutral' : classification",
    "category === 'rate_limit' ? 'neutral' : classification",
    'S1-3.5',
  ],
  ['only calls count', 'call/failure.ts', "target.settings.breaker.count === 'attempt' ||", '', 'S1-3.1 S1-7.1 S0-3.3 S0-7.3'],
  ['the decision ignores the circuit', 'recover/decide.ts', 'checkCircuit(option, inputs, waits);', '', 'S0-6.2'],
]);

const openings = faultsIn('packages/core/src/runtime/drivers', [
  [
    'other words for an opened circuit',
    'transition-event.ts',
    '`Circuit breaker opened for ${whose}`',
    '`Circuit opened for ${whose}`',
    'S1-3.1 S0-3.3',
  ],
]);

export const retryFaults: readonly Fault[] = [...classification, ...retries, ...circuits, ...openings];
