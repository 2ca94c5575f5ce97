/**
 * Owns what happens to an event after it was appended: folds, listeners and the store. None of them can affect a call.
 *
 * Invariants
 * 1. A listener or fold that throws is reported once and removed; the others still receive everything.
 * 2. The store receives events in batches outside the call's stack.
 */
import { describeError } from '../../engine/classify/describe-error.ts';
import type { Store } from '../../engine/ports/store.ts';
import type { System } from '../../engine/ports/system.ts';
import type { TraceEvent, TraceEventType } from '../../engine/trace/events.ts';
import { callSafely } from '../../engine/plain/call-safely.ts';

/** Receives trace events as they happen. A listener that throws is removed. */
export type TraceListener = (event: TraceEvent) => void;

/** A component failed; the calls continue without it. */
export interface HubFault {
  /** What failed. `runner`: a runner that `close` could not close; `circuits`: the sharing of circuits with a fleet. */
  readonly component: 'listener' | 'store' | 'memory' | 'runner' | 'circuits';
  /** Name of the listener, the operation of the store or of the shared circuits, or the runner's tool. */
  readonly name: string;
  /** Error message; not redacted. */
  readonly error: string;
}

/** A listener's name for fault reports, and the events it receives. */
export interface Subscription {
  /** @default 'listener' */
  readonly component?: HubFault['component'];
  /** @default the function's own name */
  readonly name?: string;
  /** @default every event */
  readonly types?: readonly TraceEventType[];
}

interface Subscriber {
  readonly component: HubFault['component'];
  readonly name: string;
  readonly types: readonly TraceEventType[] | undefined;
  readonly listen: TraceListener;
}

export interface EventHubOptions {
  readonly system: System;
  readonly store: Store | undefined;
  /** Receives every fault of a listener, fold or store. */
  readonly onFault: (fault: HubFault) => void;
}

export class EventHub {
  readonly #options: EventHubOptions;
  #subscribers: readonly Subscriber[] = [];
  /** The subscribers of each type of event, cached. */
  readonly #listeners = new Map<TraceEventType, readonly Subscriber[]>();
  #pending: TraceEvent[] = [];
  #delivering = false;
  readonly #undelivered: TraceEvent[] = [];

  constructor(options: EventHubOptions) {
    this.#options = options;
  }

  /** Returns a function that ends the subscription. */
  subscribe(listen: TraceListener, { component = 'listener', name = listen.name || component, types }: Subscription = {}): () => void {
    const subscriber: Subscriber = { component, name, types, listen };
    this.#setSubscribers([...this.#subscribers, subscriber]);
    return () => this.#remove(subscriber);
  }

  readonly publish = (event: TraceEvent): void => {
    this.keep(event);
    this.notify(event);
  };

  /** Passes an event to the store alone. */
  keep(event: TraceEvent): void {
    if (!this.#options.store) return;
    this.#pending.push(event);
    if (this.#pending.length === 1) this.#options.system.defer(this.flush);
  }

  /** Delivers to all listeners, but not to the store. */
  notify(event: TraceEvent): void {
    // A listener may append while it is called: all listeners still receive events in order.
    if (this.#delivering) {
      this.#undelivered.push(event);
      return;
    }
    this.#delivering = true;
    this.#deliver(event);
    if (this.#undelivered.length > 0) this.#deliverRest();
    this.#delivering = false;
  }

  #deliverRest(): void {
    for (const next of this.#undelivered) this.#deliver(next);
    this.#undelivered.length = 0;
  }

  readonly hasSubscriber = (type: TraceEventType): boolean =>
    this.#options.store !== undefined || (this.#listeners.get(type) ?? this.#listenersOf(type)).length > 0;

  #listenersOf(type: TraceEventType): readonly Subscriber[] {
    const listeners = this.#subscribers.filter(({ types }) => types?.includes(type) ?? true);
    this.#listeners.set(type, listeners);
    return listeners;
  }

  #deliver(event: TraceEvent): void {
    const listeners = this.#listeners.get(event.event_type) ?? this.#listenersOf(event.event_type);
    for (let index = 0; index < listeners.length; index++) this.#notify(listeners[index] as Subscriber, event);
  }

  #notify(subscriber: Subscriber, event: TraceEvent): void {
    try {
      const returned: unknown = subscriber.listen(event);
      if (returned !== undefined) this.#watch(subscriber, returned);
    } catch (error) {
      this.#leaveOut(subscriber, error);
    }
  }

  /** A listener that returns a promise may still fail. */
  #watch(subscriber: Subscriber, returned: unknown): void {
    callSafely(
      () => returned,
      (error) => this.#leaveOut(subscriber, error),
    );
  }

  /** Passes the pending events to the store. */
  readonly flush = (): void => {
    const events = this.#pending;
    if (events.length === 0) return;
    this.#pending = [];
    callSafely(
      () => this.#options.store?.append(events),
      (error) => this.#options.onFault({ component: 'store', name: 'append', error: describeError(error).message }),
    );
  };

  #leaveOut(subscriber: Subscriber, error: unknown): void {
    if (!this.#subscribers.includes(subscriber)) return;
    this.#remove(subscriber);
    this.#options.onFault({ component: subscriber.component, name: subscriber.name, error: describeError(error).message });
  }

  #remove(subscriber: Subscriber): void {
    this.#setSubscribers(this.#subscribers.filter((one) => one !== subscriber));
  }

  #setSubscribers(subscribers: readonly Subscriber[]): void {
    this.#subscribers = subscribers;
    this.#listeners.clear();
  }
}
