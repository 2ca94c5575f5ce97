/**
 * Owns the slices of a session's state: pure folds over its events, built-in ones and those of the application.
 *
 * Invariants
 * 1. State comes only from events: folding the same events with the same reducers gives the same state.
 * 2. A reducer that throws leaves its slice unchanged.
 * 3. State is frozen at every depth as far as it is plain data.
 * 4. Reducers of the application do not receive failures of reducers, so one failure cannot cause the next.
 */
import { checkRule, iterableRule } from '../../engine/settings/check.ts';
import type { ValidationRetryExhausted } from '../../engine/trace/events.ts';
import type { ReducerError, RetryExhaustedError } from './errors.ts';
import type { SessionEvent } from './events.ts';
import type { RetryFeedback } from './feedback.ts';
import { freezeDeep } from './plain.ts';
import type { ValidationMetrics } from './validation-metrics.ts';
import { emptyValidationMetrics, foldValidationMetrics } from './validation-metrics.ts';

/** One part of a session's state, and its reducer. The state is plain data; `reduce` is synchronous and pure. */
export interface Slice<State = unknown> {
  /** The state before the first event. */
  readonly initial: State;
  /** Returns the state after an event. A reducer that throws, or returns a promise, fails and leaves the state unchanged. */
  readonly reduce: (state: State, event: SessionEvent) => State;
}

/** A slice with any state. */
export interface AnySlice {
  /** The state before the first event. */
  readonly initial: unknown;
  /** Returns the state after an event. A reducer that throws, or returns a promise, fails and leaves the state unchanged. */
  readonly reduce: (state: never, event: SessionEvent) => unknown;
}

/** Slices by name; `feedback`, `exhausted`, `reducerErrors` and `metrics` are reserved. */
export type Slices = Readonly<Record<string, AnySlice>>;

/** The state of a slice. */
export type StateOf<S extends AnySlice> = ReturnType<S['reduce']>;

/** The built-in state of every session. */
export interface BuiltInState {
  /** Feedback to the model, oldest first (docs/specification.md#s2). */
  readonly feedback: readonly RetryFeedback[];
  /** Actions whose attempts are used up, oldest first. */
  readonly exhausted: readonly RetryExhaustedError[];
  /** Failures of reducers, oldest first. */
  readonly reducerErrors: readonly ReducerError[];
  /** Counters and histograms of the validation retries. */
  readonly metrics: ValidationMetrics;
}

/** The state of a session by slice: built-in slices and those of the application. */
export type SessionState<Own extends Slices> = BuiltInState & { readonly [Name in keyof Own]: StateOf<Own[Name]> };

/** The feedback in an event; `undefined` when there is none. */
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

/** Returns the error of an event `ValidationRetryExhausted` (docs/specification.md#s2). */
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

/** The built-in slices that are lists, with the entry that an event adds. */
const lists: Readonly<Record<string, (event: SessionEvent) => object | undefined>> = {
  feedback: feedbackOf,
  exhausted: (event) => (event.event_type === 'ValidationRetryExhausted' ? exhaustedOf(event) : undefined),
  reducerErrors: (event) => (event.event_type === 'ReducerFailed' ? reducerErrorOf(event) : undefined),
};

const metrics: Slice<ValidationMetrics> = { initial: emptyValidationMetrics, reduce: foldValidationMetrics };

export function checkSlices(slices: Slices): void {
  for (const [name, slice] of Object.entries(slices)) {
    if (name === 'metrics' || Object.hasOwn(lists, name))
      throw new TypeError(`Session: the slice '${name}' is built in. Use another name.`);
    if (typeof slice?.reduce !== 'function' || !('initial' in slice))
      throw new TypeError(`Session: the slice '${name}' must be { initial, reduce }, with a function reduce(state, event) => state.`);
  }
}

/** A reducer that threw. */
export interface ReducerFault {
  readonly reducer: string;
  readonly error: unknown;
}

const emptyList: readonly unknown[] = Object.freeze([]);

/** An append-only list: adding an entry takes constant time. */
class AppendOnlyList {
  readonly #entries: unknown[] = [];
  #snapshot = emptyList;

  add(entry: unknown): void {
    this.#entries.push(freezeDeep(entry));
  }

  get(): readonly unknown[] {
    if (this.#snapshot.length < this.#entries.length) this.#snapshot = Object.freeze([...this.#entries]);
    return this.#snapshot;
  }
}

/** The state of a session, which only events change. */
export class SliceStore {
  readonly #customSlices: readonly (readonly [string, AnySlice])[];
  /** The built-in lists that have entries. */
  readonly #lists = new Map<string, AppendOnlyList>();
  readonly #state = new Map<string, unknown>();

  constructor(customSlices: Slices) {
    this.#customSlices = Object.entries(customSlices);
    for (const [name, { initial }] of [['metrics', metrics] as const, ...this.#customSlices]) this.#state.set(name, freezeDeep(initial));
  }

  /** Runs the reducers. Returns those that threw. */
  apply(event: SessionEvent): readonly ReducerFault[] {
    const faults: ReducerFault[] = [];
    for (const [name, entryOf] of Object.entries(lists)) {
      attempt(name, faults, () => {
        const entry = entryOf(event);
        if (!entry) return;
        const list = this.#lists.get(name) ?? new AppendOnlyList();
        this.#lists.set(name, list);
        list.add(entry);
      });
    }
    for (const [name, { reduce }] of [['metrics', metrics] as const, ...(event.event_type === 'ReducerFailed' ? [] : this.#customSlices)])
      attempt(name, faults, () => this.#state.set(name, freezeDeep(checkSynchronous(reduce(this.#state.get(name) as never, event)))));
    return faults;
  }

  get(name: string): unknown {
    return Object.hasOwn(lists, name) ? (this.#lists.get(name)?.get() ?? emptyList) : this.#state.get(name);
  }

  names(): readonly string[] {
    return [...Object.keys(lists), ...this.#state.keys()];
  }

  all(): Readonly<Record<string, unknown>> {
    return Object.freeze(Object.fromEntries(this.names().map((name) => [name, this.get(name)])));
  }
}

function attempt(reducer: string, faults: ReducerFault[], run: () => unknown): void {
  try {
    run();
  } catch (error) {
    faults.push({ reducer, error });
  }
}

/** @throws TypeError for a promise in place of a state */
function checkSynchronous(state: unknown): unknown {
  if (typeof state !== 'object' || state === null || typeof (state as { readonly then?: unknown }).then !== 'function') return state;
  Promise.resolve(state).then(undefined, () => undefined);
  throw new TypeError('the reducer returned a promise; a reducer must return its state synchronously');
}

/** Computes the state of a session from its events. Reducers that throw leave their slice unchanged, as in the session. */
export function foldSession<Own extends Slices>(events: Iterable<SessionEvent>, slices: Own): SessionState<Own> {
  checkRule('object', slices, 'foldSession: slices');
  checkSlices(slices);
  checkRule(iterableRule, events, 'foldSession: events');
  const store = new SliceStore(slices);
  for (const event of events) store.apply(event);
  return store.all() as SessionState<Own>;
}
