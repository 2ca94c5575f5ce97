/**
 * Owns slices of a session's state: pure folds over its events, the built-in ones and the user's.
 *
 * Invariants
 * 1. State comes from events alone: folding the same events with the same reducers gives the same state.
 * 2. A reducer that throws leaves its slice as it was.
 * 3. State is frozen at every depth as far as it is plain data.
 * 4. The user's reducers do not hear of failed reducers: a failure cannot bring about the next.
 */
import type { ValidationRetryExhausted } from '../../engine/trace/events.ts';
import type { ReducerError, RetryExhaustedError } from './errors.ts';
import type { SessionEvent } from './events.ts';
import type { RetryFeedback } from './feedback.ts';
import { freezeDeep } from './plain.ts';
import type { ValidationMetrics } from './validation-metrics.ts';
import { emptyValidationMetrics, foldValidationMetrics } from './validation-metrics.ts';

/** One part of a session's state, and what an event makes of it. Plain data; `reduce` answers at once and changes nothing. */
export interface Slice<State = unknown> {
  /** The state before the first event. */
  readonly initial: State;
  /** Returns the state after an event. A reducer that throws, or returns a promise, has failed and leaves the state as it was. */
  readonly reduce: (state: State, event: SessionEvent) => State;
}

/** A slice, whatever its state is. */
export interface AnySlice {
  /** The state before the first event. */
  readonly initial: unknown;
  /** Returns the state after an event. A reducer that throws, or returns a promise, has failed and leaves the state as it was. */
  readonly reduce: (state: never, event: SessionEvent) => unknown;
}

/** Slices by name; `feedback`, `exhausted`, `reducerErrors` and `metrics` are taken. */
export type Slices = Readonly<Record<string, AnySlice>>;

/** The state that a slice keeps. */
export type StateOf<S extends AnySlice> = ReturnType<S['reduce']>;

/** What every session keeps. */
export interface BuiltInState {
  /** Oldest first (docs/specification.md#s2). */
  readonly feedback: readonly RetryFeedback[];
  /** Actions whose attempts were used up, oldest first. */
  readonly exhausted: readonly RetryExhaustedError[];
  /** Failures of reducers, oldest first. */
  readonly reducerErrors: readonly ReducerError[];
  /** Counters and histograms of the validation retries. */
  readonly metrics: ValidationMetrics;
}

/** The state of a session by slice: the built-in slices and those of the application. */
export type SessionState<Own extends Slices> = BuiltInState & { readonly [Name in keyof Own]: StateOf<Own[Name]> };

/** The feedback that an event carries, if it does. */
function feedbackOf(event: SessionEvent): RetryFeedback | undefined {
  if (event.event_type !== 'ValidationRetryScheduled' && event.event_type !== 'ValidationRetryExhausted') return undefined;
  if (!event.feedback) return undefined;
  return {
    source: event.source,
    toolName: event.tool_id ?? null,
    attempt: event.attempt,
    maxAttempts: event.max_attempts,
    errorType: event.error_type,
    message: event.error,
    retryScheduledAt: event.retry_scheduled_at,
    nextDelaySeconds: event.event_type === 'ValidationRetryScheduled' ? event.delay_ms / 1_000 : 0,
  };
}

/** The error that an event of used-up attempts stands for (docs/specification.md#s2). */
export function exhaustedOf({
  message,
  source,
  tool_id,
  attempt,
  max_attempts,
  stopped_by,
  history,
}: ValidationRetryExhausted): RetryExhaustedError {
  const toolName = tool_id ?? null;
  return {
    name: 'RetryExhaustedError',
    code: 'RETRY_EXHAUSTED',
    message,
    source,
    toolName,
    attempts: attempt,
    maxAttempts: max_attempts,
    stoppedBy: stopped_by,
    history: history.map((failed) => ({
      source,
      toolName,
      attempt: failed.attempt,
      maxAttempts: failed.max_attempts,
      errorType: failed.error_type,
      message: failed.error,
      retryScheduledAt: failed.retry_scheduled_at,
      nextDelaySeconds: failed.delay_ms / 1_000,
    })),
  };
}

export function reducerErrorOf({
  reducer,
  error,
  error_type,
  payload,
}: Extract<SessionEvent, { event_type: 'ReducerFailed' }>): ReducerError {
  return { name: 'ReducerError', code: 'REDUCER_FAILED', reducer, message: error, errorType: error_type, payload };
}

/** The built-in slices that are lists, and what an event adds to them. */
const lists: Readonly<Record<string, (event: SessionEvent) => object | undefined>> = {
  feedback: feedbackOf,
  exhausted: (event) => (event.event_type === 'ValidationRetryExhausted' ? exhaustedOf(event) : undefined),
  reducerErrors: (event) => (event.event_type === 'ReducerFailed' ? reducerErrorOf(event) : undefined),
};

const metrics: Slice<ValidationMetrics> = { initial: emptyValidationMetrics, reduce: foldValidationMetrics };

export function checkSlices(slices: Slices): void {
  for (const [name, slice] of Object.entries(slices)) {
    if (name === 'metrics' || Object.hasOwn(lists, name))
      throw new TypeError(`Session: the slice '${name}' is built in. Name yours otherwise.`);
    if (typeof slice?.reduce !== 'function' || !('initial' in slice))
      throw new TypeError(`Session: the slice '${name}' must be { initial, reduce }, with a function reduce(state, event) => state.`);
  }
}

/** A reducer that threw. */
export interface ReducerFault {
  readonly reducer: string;
  readonly error: unknown;
}

/** A list that only grows: an event costs the same however long it is. */
class GrowingList {
  readonly #entries: unknown[] = [];
  #told: readonly unknown[] = Object.freeze([]);

  add(entry: unknown): void {
    this.#entries.push(freezeDeep(entry));
  }

  get(): readonly unknown[] {
    if (this.#told.length < this.#entries.length) this.#told = Object.freeze([...this.#entries]);
    return this.#told;
  }
}

/** The state of a session, changed by events alone. */
export class SliceStore {
  readonly #own: readonly (readonly [string, AnySlice])[];
  readonly #lists: ReadonlyMap<string, GrowingList> = new Map(Object.keys(lists).map((name) => [name, new GrowingList()]));
  readonly #state = new Map<string, unknown>();

  constructor(own: Slices) {
    this.#own = Object.entries(own);
    for (const [name, { initial }] of [['metrics', metrics] as const, ...this.#own]) this.#state.set(name, freezeDeep(initial));
  }

  /** Runs the reducers; answers those that threw. */
  apply(event: SessionEvent): readonly ReducerFault[] {
    const faults: ReducerFault[] = [];
    for (const [name, list] of this.#lists) {
      attempt(name, faults, () => {
        const entry = lists[name]?.(event);
        if (entry) list.add(entry);
      });
    }
    for (const [name, { reduce }] of [['metrics', metrics] as const, ...(event.event_type === 'ReducerFailed' ? [] : this.#own)])
      attempt(name, faults, () => this.#state.set(name, freezeDeep(settled(reduce(this.#state.get(name) as never, event)))));
    return faults;
  }

  get(name: string): unknown {
    return this.#lists.get(name)?.get() ?? this.#state.get(name);
  }

  all(): Readonly<Record<string, unknown>> {
    return Object.freeze(Object.fromEntries([...this.#lists.keys(), ...this.#state.keys()].map((name) => [name, this.get(name)])));
  }
}

function attempt(reducer: string, faults: ReducerFault[], run: () => unknown): void {
  try {
    run();
  } catch (error) {
    faults.push({ reducer, error });
  }
}

/** A state that comes later is none. */
function settled(state: unknown): unknown {
  if (typeof state !== 'object' || state === null || typeof (state as { readonly then?: unknown }).then !== 'function') return state;
  Promise.resolve(state).then(undefined, () => undefined);
  throw new TypeError('the reducer answered a promise; a reducer answers its state at once');
}

/** The state that events make, from nothing. Reducers that throw leave their slice as it was, as they did then. */
export function foldSession<Own extends Slices>(events: Iterable<SessionEvent>, slices: Own): SessionState<Own> {
  checkSlices(slices);
  const store = new SliceStore(slices);
  for (const event of events) store.apply(event);
  return store.all() as SessionState<Own>;
}
