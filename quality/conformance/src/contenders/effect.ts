/** Effect: its own operators around `Effect.tryPromise`, run with `runPromiseExit` and the caller's signal. */
import { Cause, Duration, Effect, Exit, Fiber, Option, Random, Schedule, Semaphore } from 'effect';
import type { Answer, BuildOptions, BulkheadPart, Contender, Guarded, Part, RetryPart, Work } from '../port.ts';
import { DependencyDown } from '../situation.ts';

type Program = Effect.Effect<unknown, unknown>;
type Wrap = (inner: Program) => Program;

const bulkheadFull = Symbol('bulkhead full');
const tagOf = (error: unknown): unknown => (error as { readonly _tag?: unknown } | undefined)?._tag;

function withRetry({ retries, delayMs, jitter }: RetryPart, listeners: readonly ((delayMs: number) => void)[]): Wrap {
  const spaced = Schedule.spaced(delayMs);
  const schedule = (jitter ? Schedule.jittered(spaced) : spaced).pipe(
    Schedule.upTo({ times: retries }),
    Schedule.modifyDelay(({ duration }) =>
      Effect.sync(() => {
        for (const listener of listeners) listener(Duration.toMillis(duration));
        return duration;
      }),
    ),
  );
  const isTransient = (error: unknown): boolean => error instanceof DependencyDown || tagOf(error) === 'TimeoutError';
  return Effect.retry({ schedule, while: isTransient });
}

function withLimit({ limit, queue, untilSettled }: BulkheadPart): Wrap {
  const semaphore = Semaphore.makeUnsafe(limit);
  if (queue === 0)
    return (inner) =>
      inner.pipe(
        semaphore.withPermitsIfAvailable(1),
        Effect.flatMap(Option.match({ onNone: () => Effect.fail(bulkheadFull), onSome: (value) => Effect.succeed(value) })),
      );
  // A detached fiber keeps its permit when the fiber that waits for it is interrupted.
  if (untilSettled) return (inner) => inner.pipe(semaphore.withPermits(1), Effect.forkDetach, Effect.flatMap(Fiber.join));
  return (inner) => inner.pipe(semaphore.withPermits(1));
}

function answerOf(exit: Exit.Exit<unknown, unknown>): Answer {
  if (Exit.isSuccess(exit)) return { kind: 'value', value: exit.value };
  if (Cause.hasInterruptsOnly(exit.cause)) return { kind: 'cancelled', message: 'interrupted' };
  const error = Cause.squash(exit.cause);
  const message = error instanceof Error ? error.message : String(error);
  if (error === bulkheadFull) return { kind: 'refused', by: 'bulkhead', retryAfterMs: undefined, message };
  return { kind: tagOf(error) === 'TimeoutError' ? 'timed out' : 'failed', message };
}

function build(parts: readonly Part[], { seed }: BuildOptions = {}): Guarded {
  const listeners: ((delayMs: number) => void)[] = [];
  const wraps = parts.map((part): Wrap => {
    if (part.part === 'retry') return withRetry(part, listeners);
    if (part.part === 'timeout') return Effect.timeout(part.ms);
    if (part.part === 'bulkhead') return withLimit(part);
    throw new Error(`Effect has no ${part.part}.`);
  });
  return {
    call: async (work: Work, { signal, id } = {}) => {
      const attempt: Program = Effect.tryPromise({ try: async (inner) => work(inner), catch: (error) => error });
      let program = wraps.reduceRight((inner, wrap) => wrap(inner), attempt);
      // A separate seed for each call, so that the order of calls does not matter.
      if (seed !== undefined) program = program.pipe(Random.withSeed(`${seed}/${id}`));
      return answerOf(await Effect.runPromiseExit(program, signal ? { signal } : {}));
    },
    circuit: () => 'closed',
    onRetry: (listener) => void listeners.push(listener),
    timeoutEvents: () => 0,
    events: [],
    listen: () => undefined,
    save: async () => Promise.resolve(undefined),
  };
}

export const contender: Contender = { name: 'effect', build };
