/** Owns the list of libraries: how each is set up, which features it lacks, and loading its adapter. */
import type { Contender, ContenderName, ContenderNotes } from '../port.ts';

const noBreaker = { breaker: 'has no circuit breaker', 'rate breaker': 'has no circuit breaker', 'saved state': 'has no circuit breaker' };

export const contenders: readonly ContenderNotes[] = [
  {
    name: 'holdfast',
    title: 'Holdfast 0.1.0',
    setUp: 'One service with one tool on the real clock. Parts that a behaviour does not ask for are switched off.',
    lacks: {},
  },
  {
    name: 'cockatiel',
    title: 'cockatiel 4.0.0',
    setUp:
      '`wrap` in every order that makes sense. The dependency’s errors are selected with `handleType`, timeouts with `isTaskCancelledError`. Timeouts are aggressive, unless cooperative ones give better results. `dangerouslyUnref()` if a behaviour is about timers.',
    lacks: { seed: 'has no seed; a `DelegateBackoff` of your own could have one' },
  },
  {
    name: 'opossum',
    title: 'opossum 10.0.0',
    setUp:
      'One breaker; `timeout` and `capacity` are options of it. `errorFilter` excludes bad requests and `ESEMLOCKED`. `autoRenewAbortController` is on, `volumeThreshold` is the number of failures, percentiles are off. `timeout` is `false` only if a behaviour has no timeout.',
    lacks: { retry: 'has no retry', signal: 'takes no AbortSignal from the caller', seed: 'has no random delays' },
  },
  {
    name: 'mollitia',
    title: 'mollitia 0.1.1',
    setUp:
      'One circuit; modules in every order that makes sense. `onError` excludes bad requests, `onRejection` of its retry also the refusal of an open circuit. One call is permitted in half-open, `halfOpenStateMaxDelay` is set if a behaviour is about it.',
    lacks: {
      signal: 'takes no AbortSignal',
      'plain functions': 'asks for functions that return a promise (`CircuitFunction`)',
      seed: 'has no seed; delays of your own from `onRejection` could have one',
      'saved state': 'leaves it to a Redis add-on',
    },
  },
  {
    name: 'p-retry',
    title: 'p-retry 9.0.0 + p-timeout 8.0.0',
    setUp:
      'p-timeout inside or around p-retry. `shouldRetry` selects the dependency’s errors and timeouts; the caller’s signal is passed to both, as their readmes require. `unref` if a behaviour is about timers. Its readme documents that a throwing `onFailedAttempt` ends the call (B14).',
    lacks: { ...noBreaker, bulkhead: 'has no bulkhead', seed: 'has no seed' },
  },
  {
    name: 'effect',
    title: 'effect 4.1.0',
    setUp:
      '`Effect.retry` with a `Schedule`, `Effect.timeout`, `Semaphore`, in every order that makes sense, run with `runPromiseExit({ signal })`. If work must keep its slot, a detached fiber holds the permit. `Random.withSeed` with a seed per call.',
    lacks: { ...noBreaker, listeners: 'has no listeners; taps are part of the program' },
  },
];

const adapters: Readonly<Record<ContenderName, () => Promise<{ readonly contender: Contender }>>> = {
  holdfast: () => import('./holdfast.ts'),
  cockatiel: () => import('./cockatiel.ts'),
  opossum: () => import('./opossum.ts'),
  mollitia: () => import('./mollitia.ts'),
  'p-retry': () => import('./p-retry.ts'),
  effect: () => import('./effect.ts'),
};

export const loadContender = async (name: ContenderName): Promise<Contender> => (await adapters[name]()).contender;
