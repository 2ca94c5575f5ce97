import { expect, it } from 'vitest';
import { backoffDelayMs, circuitBreaker, controlCircuit, restoreCircuit, saveCircuit, unwrap } from '../../src/standalone/index.ts';
import { retryDefaults } from '../../src/engine/settings/defaults.ts';
import { manualSystem } from '../../src/testing/index.ts';

const breaker = circuitBreaker({ system: manualSystem() });

it.each<readonly [call: (...args: never[]) => unknown, args: readonly unknown[], message: string]>([
  [controlCircuit, ['reset', breaker], "breaker must be created with circuitBreaker(), got 'reset'."],
  [saveCircuit, [], 'breaker must be created with circuitBreaker(), got undefined.'],
  [restoreCircuit, [{}, {}], 'breaker must be created with circuitBreaker(), got an object.'],
  [unwrap, [Promise.resolve()], 'unwrap: outcome must be awaited first, got a promise.'],
  [unwrap, [1], 'unwrap: outcome must be an outcome of retry or of a circuit breaker, got 1.'],
  [backoffDelayMs, [3], 'backoffDelayMs must be an object, got 3.'],
  [backoffDelayMs, [{ retry: 1, random: 0 }], 'backoffDelayMs.settings must be an object, got undefined.'],
  [backoffDelayMs, [{ settings: retryDefaults, retry: 1, randum: 0 }], "backoffDelayMs has no setting 'randum'. Did you mean 'random'?"],
  [backoffDelayMs, [{ settings: { jitter: 'none' }, retry: 1, random: 0 }], 'backoffDelayMs.settings.strategy must be one of'],
])('%o refuses %o', (call, args, message) => {
  expect(() => call(...(args as never[]))).toThrow(message);
});
