/**
 * Owns what happens to an event after it was appended: folds, listeners and the store. None of them can reach a call.
 *
 * Invariants
 * 1. A listener or fold that throws is reported once and left out from then on; the others still hear everything.
 * 2. The store receives events in batches outside the call's stack.
 */
import { describeError } from '../classify/index.ts';
import type { Store } from '../ports/store.ts';
import type { System } from '../ports/system.ts';
import type { TraceEvent } from '../trace/events.ts';
import { guarded } from './guard.ts';

export type TraceListener = (event: TraceEvent) => void;

export interface HubFault {
  readonly component: 'listener' | 'store' | 'memory';
  readonly name: string;
  readonly error: string;
}

interface Subscriber {
  readonly component: HubFault['component'];
  readonly name: string;
  readonly listen: TraceListener;
}

export interface EventHubOptions {
  readonly system: System;
  readonly store: Store | undefined;
  /** Hears of every fault of a listener, fold or store. */
  readonly onFault: (fault: HubFault) => void;
}

export class EventHub {
  readonly #options: EventHubOptions;
  #subscribers: readonly Subscriber[] = [];
  #pending: TraceEvent[] = [];
  readonly #undelivered: TraceEvent[] = [];

  constructor(options: EventHubOptions) {
    this.#options = options;
  }

  /** Answers the way to stop listening. */
  subscribe(listen: TraceListener, component: HubFault['component'] = 'listener', name: string = listen.name || component): () => void {
    const subscriber: Subscriber = { component, name, listen };
    this.#subscribers = [...this.#subscribers, subscriber];
    return () => this.#remove(subscriber);
  }

  readonly publish = (event: TraceEvent): void => {
    if (this.#options.store) {
      this.#pending.push(event);
      if (this.#pending.length === 1) this.#options.system.defer(this.flush);
    }
    // A listener may call back and so append: everybody hears the events in their order all the same.
    this.#undelivered.push(event);
    if (this.#undelivered.length > 1) return;
    for (const next of this.#undelivered) this.#deliver(next);
    this.#undelivered.length = 0;
  };

  #deliver(event: TraceEvent): void {
    for (const subscriber of this.#subscribers) {
      try {
        const returned: unknown = subscriber.listen(event);
        if (returned !== undefined)
          guarded(
            () => returned,
            (error) => this.#leaveOut(subscriber, error),
          );
      } catch (error) {
        this.#leaveOut(subscriber, error);
      }
    }
  }

  /** Hands what is pending to the store. */
  readonly flush = (): void => {
    const events = this.#pending;
    if (events.length === 0) return;
    this.#pending = [];
    guarded(
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
    this.#subscribers = this.#subscribers.filter((one) => one !== subscriber);
  }
}
