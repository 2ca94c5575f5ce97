/**
 * Owns a session (docs/specification.md#s2): an append-only list of events, and the state that reducers compute from it. Does not own the loop with a model (`../loop`).
 *
 * Invariants
 * 1. Only `append` changes a session, and it never throws; it copies its argument, so that an event cannot be changed afterwards.
 * 2. Reducers have run when `append` returns. When one throws, its slice is unchanged, the slice `reducerErrors` has a `ReducerError`, and all listeners have been
 *    called.
 * 3. A reducer changes state only by its return value: state and events are frozen, and a reducer that calls `append` fails.
 */
import { suggest } from '../../engine/plain/suggest.ts';
import { checkOptions } from '../../engine/settings/check-options.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import type { System } from '../../engine/ports/system.ts';
import type { Redactor } from '../../engine/plain/redact.ts';
import { createRedactor } from '../../engine/plain/redact.ts';
import { callSafely } from '../../engine/plain/call-safely.ts';
import type { Fields } from '../../engine/settings/check.ts';
import { checkRule, refuse, withMethods } from '../../engine/settings/check.ts';
import { createSystem } from '../../runtime/system/create-system.ts';
import type { ReducerError } from './errors.ts';
import type { SessionEvent, SessionEventBody } from './events.ts';
import type { RetryFeedback } from './feedback.ts';
import { log, logEvent } from './log.ts';
import type { SessionLogger } from './log.ts';
import { freezeDeep, freezeOuter, frozenCopy, frozenFrom, jsonCopy } from './plain.ts';
import type { SavedSession } from './saved.ts';
import { checkSaved } from './saved.ts';
import type { AnySlice, ReducerFault, SessionState, Slices, StateOf } from './slices.ts';
import { checkSlices, reducerErrorOf, SliceStore } from './slices.ts';
import type { ValidationMetrics } from './validation-metrics.ts';
import { isObjectOrFunction } from '../../engine/plain/is-object.ts';

/** Called with each failure of a reducer. An error that it throws is logged and otherwise ignored. */
export type ReducerErrorListener = (error: ReducerError) => void;

/** Options of a `Session`. */
export interface SessionOptions<Own extends Slices = Slices> {
  /** Id of the session in every event and log entry. @default random */
  readonly correlationId?: string | undefined;
  /** Slices of the application, by name. */
  readonly slices?: Own | undefined;
  /** Called at once for every reducer that throws (docs/specification.md#s2). */
  readonly onReducerError?: ReducerErrorListener | undefined;
  /** Logger for failures and repairs, such as a pino logger. */
  readonly logger?: SessionLogger | undefined;
  /** Tool outputs and payloads are truncated to about this many characters of JSON. @default 100000 */
  readonly maxPayloadChars?: number | undefined;
  /** Removes secrets from errors of reducers and listeners. @default the default redactor of services */
  readonly redact?: Redactor | undefined;
  /** Clock and randomness. @default those of the machine */
  readonly system?: Pick<System, 'epochMs' | 'randomSeed'> | undefined;
}

/** Result of `append`. */
export interface Appended {
  /** The stored event: copied, stamped and frozen. */
  readonly event: SessionEvent;
  /** Errors of the reducers that threw. */
  readonly reducerErrors: readonly ReducerError[];
}

/** A body may be any value, and any object may throw. */
function isToolInvoked(body: SessionEventBody): boolean {
  try {
    return body.event_type === 'ToolInvoked';
  } catch {
    return false;
  }
}

function failureKey(reducer: string, payload: unknown): string {
  return `${(payload as Partial<SessionEvent> | undefined)?.seq} ${reducer}`;
}

/** When the redactor throws, the whole text is removed. */
function attemptRedaction(redact: Redactor, text: string): string {
  try {
    return redact(text);
  } catch {
    return '[redacted]';
  }
}

const sessionFields: Fields = {
  correlationId: 'string',
  slices: 'object',
  onReducerError: 'function',
  logger: (value, field) => {
    if (!isObjectOrFunction(value)) refuse(field, value, 'a logger such as pino', '');
    for (const name of ['debug', 'info', 'warn', 'error'] as const)
      checkRule('function', (value as SessionLogger)[name], `${field}.${name}`);
  },
  maxPayloadChars: ['a number of characters, 1 or more', 1, Infinity],
  redact: 'function',
  system: withMethods('epochMs', 'randomSeed'),
};

/** Limit for listeners that append in response to errors of their own appends. */
const MAX_DEPTH = 8;

/** A session of an agent: an append-only list of events, and the state that reducers compute from them (docs/specification.md#s2). */
// eslint-disable-next-line -- an empty record of slices
export class Session<Own extends Slices = Record<never, AnySlice>> {
  #correlationId: string | undefined;
  readonly #system: Pick<System, 'epochMs' | 'randomSeed'>;
  readonly #redact: Redactor;
  readonly #logger: SessionLogger | undefined;
  readonly #maxPayloadChars: number;
  readonly #store: SliceStore;
  /** A function makes an event that has not been read. */
  readonly #events: (SessionEvent | (() => SessionEvent))[] = [];
  /** Whether nothing but the list of events reads the results of tools. */
  readonly #isUnread: boolean;
  readonly #listeners = new Set<ReducerErrorListener>();
  #reducing = false;
  #depth = 0;

  /** @throws TypeError | RangeError that names the option, its value and the fix */
  constructor(options: SessionOptions<Own> = {}) {
    checkOptions(sessionFields, options, 'Session');
    const { slices, onReducerError, logger, maxPayloadChars = 100_000, redact = createRedactor() } = options;
    checkSlices(slices ?? {});
    this.#system = options.system ?? createSystem();
    this.#correlationId = options.correlationId;
    this.#redact = (text) => attemptRedaction(redact, text);
    this.#logger = logger;
    this.#maxPayloadChars = maxPayloadChars;
    this.#store = new SliceStore(slices ?? {});
    this.#isUnread = logger === undefined && Object.keys(slices ?? {}).length === 0;
    if (onReducerError) this.#listeners.add(onReducerError);
  }

  /**
   * Restores a session that `save` returned. Reducers run again over the same events. Failures that are already recorded are not reported again; new ones, of
   * reducers that have changed, are reported. @throws TypeError when the value is not a saved session
   */
  static restore<Own extends Slices = Record<never, AnySlice>>(saved: SavedSession, options: SessionOptions<Own> = {}): Session<Own> {
    checkSaved(saved);
    const session = new Session<Own>({ ...options, correlationId: saved.correlationId });
    const events = saved.events.map((event) => freezeDeep(JSON.parse(JSON.stringify(event)) as SessionEvent));
    const failures = events.flatMap((event) => session.#keep(event).map((fault) => ({ event, fault })));
    const known = new Set(
      events.flatMap((event) => (event.event_type === 'ReducerFailed' ? [failureKey(event.reducer, event.payload)] : [])),
    );
    const fresh = failures.filter(({ event, fault }) => !known.has(failureKey(fault.reducer, event)));
    for (const failure of fresh.map(({ event, fault }) => session.#publish(fault, event))) session.#notify(failure);
    return session;
  }

  /** Id of the session in every event and log entry. */
  get correlationId(): string {
    return (this.#correlationId ??= this.#system.randomSeed());
  }

  /** All events, oldest first. */
  get events(): readonly SessionEvent[] {
    return this.#events.map((event, index) => (typeof event === 'function' ? (this.#events[index] = event()) : event));
  }

  /** Current state of all slices. */
  get state(): SessionState<Own> {
    return this.#store.all() as SessionState<Own>;
  }

  /** Returns the current state of one slice. */
  slice<Name extends keyof Own & string>(name: Name): StateOf<Own[Name]> {
    checkRule(this.#store.names(), name, 'slice', suggest);
    return this.#store.get(name) as StateOf<Own[Name]>;
  }

  /** Feedback to the model about failed attempts, oldest first (docs/specification.md#s2). */
  get feedback(): readonly RetryFeedback[] {
    return this.#store.get('feedback') as readonly RetryFeedback[];
  }

  /** Returns the latest feedback, optionally about one tool; `null` selects structured outputs. */
  latestFeedback(toolName?: string | null): RetryFeedback | undefined {
    checkRule('string', toolName ?? '', 'latestFeedback: toolName');
    return this.feedback.findLast((entry) => toolName === undefined || entry.toolName === toolName);
  }

  /** Failures of reducers, oldest first. */
  get reducerErrors(): readonly ReducerError[] {
    return this.#store.get('reducerErrors') as readonly ReducerError[];
  }

  /** Counters and histograms of the validation retries of this session. */
  get metrics(): ValidationMetrics {
    return this.#store.get('metrics') as ValidationMetrics;
  }

  /**
   * Adds a listener that is called for every reducer that throws (docs/specification.md#s2). Returns a function that removes it.
   *
   * @throws TypeError if it is not a function
   */
  onReducerError(listener: ReducerErrorListener): () => void {
    checkRule('function', listener, 'onReducerError: listener');
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Appends an event and runs the reducers. Throws only when a reducer calls it. */
  append(body: SessionEventBody): Appended {
    if (this.#reducing) throw new TypeError('A reducer must not append events; return the next state instead.');
    const unread = this.#isUnread ? this.#appendUnread(body) : undefined;
    if (unread) return unread;
    const event = this.#stamp(body);
    const faults = this.#keep(event);
    logEvent(this.#logger, event);
    const failures = faults.map((fault) => this.#publish(fault, event));
    for (const failure of failures) this.#notify(failure);
    return { event, reducerErrors: failures };
  }

  /** Returns the session as plain JSON data for `Session.restore`. */
  save(): SavedSession {
    return { version: 1, correlationId: this.correlationId, events: this.events };
  }

  /** Results of tools are the most frequent and the largest events, and no built-in slice reads them. */
  #appendUnread(body: SessionEventBody): Appended | undefined {
    const text = isToolInvoked(body) ? jsonCopy(body, this.#maxPayloadChars) : undefined;
    if (text === undefined) return undefined;
    const stamp = this.#nextStamp();
    let made: SessionEvent | undefined;
    const read = (): SessionEvent => (made ??= this.#stamped(frozenFrom(text), stamp));
    this.#events.push(read);
    return {
      get event() {
        return read();
      },
      reducerErrors: [],
    };
  }

  #stamp(body: SessionEventBody): SessionEvent {
    return this.#stamped(frozenCopy(body, this.#maxPayloadChars), this.#nextStamp());
  }

  #nextStamp(): { readonly seq: number; readonly epochMs: number } {
    return { seq: this.#events.length + 1, epochMs: this.#system.epochMs() };
  }

  #stamped(copy: unknown, { seq, epochMs }: { readonly seq: number; readonly epochMs: number }): SessionEvent {
    const readable = typeof copy === 'object' && copy !== null && typeof (copy as SessionEventBody).event_type === 'string';
    const kept = readable ? (copy as SessionEventBody) : { event_type: 'Custom' as const, name: 'unreadable', payload: copy };
    return freezeOuter({ ...kept, seq, timestamp: new Date(epochMs).toISOString(), correlation_id: this.correlationId });
  }

  #keep(event: SessionEvent): readonly ReducerFault[] {
    this.#events.push(event);
    this.#reducing = true;
    try {
      return this.#store.apply(event);
    } finally {
      this.#reducing = false;
    }
  }

  /** Records a failure as an event, which only the built-in slices receive. */
  #publish({ reducer, error }: ReducerFault, payload: SessionEvent): ReducerError {
    const { name, message } = describeError(error);
    const about = payload as { readonly call_id?: string; readonly tool_id?: string };
    const failed = {
      ...this.#stamp({
        event_type: 'ReducerFailed',
        reducer,
        payload_type: payload.event_type,
        error_type: name,
        error: this.#redact(message),
        ...(about.call_id === undefined ? {} : { call_id: about.call_id }),
        ...(about.tool_id === undefined ? {} : { tool_id: about.tool_id }),
      }),
      payload,
    } as Extract<SessionEvent, { event_type: 'ReducerFailed' }>;
    this.#keep(freezeDeep(failed));
    logEvent(this.#logger, failed);
    return freezeDeep(reducerErrorOf(failed));
  }

  #notify(failure: ReducerError): void {
    if (this.#depth >= MAX_DEPTH) {
      log(
        this.#logger,
        'error',
        { correlationId: this.correlationId, reducer: failure.reducer },
        'reducer errors are nested too deeply; listeners are not called',
      );
      return;
    }
    this.#depth += 1;
    for (const listener of this.#listeners) {
      callSafely(
        () => listener(failure),
        (error) =>
          log(
            this.#logger,
            'error',
            { correlationId: this.correlationId, error: this.#redact(describeError(error).message) },
            'reducer error listener failed',
          ),
      );
    }
    this.#depth -= 1;
  }
}
