/** Owns when the events of a journaled turn are published: to listeners as they happen here, to the store once the inputs that they follow from are journaled. */
import type { EventHub } from '../../runtime/service/event-hub.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';

export class Outbox {
  readonly #hub: EventHub;
  /** Each with the length of the log that must be journaled first. */
  #waiting: { readonly event: TraceEvent; readonly needs: number }[] = [];

  constructor(hub: EventHub) {
    this.#hub = hub;
  }

  /** `isLive`: the event happens in this process now, and is not replayed. */
  add(event: TraceEvent, needs: number, isLive: boolean): void {
    this.#waiting.push({ event, needs });
    if (isLive) this.#hub.notify(event);
  }

  release(journaled: number): void {
    const first = this.#waiting.findIndex(({ needs }) => needs > journaled);
    const ready = first === -1 ? this.#waiting : this.#waiting.slice(0, first);
    this.#waiting = first === -1 ? [] : this.#waiting.slice(first);
    for (const { event } of ready) this.#hub.keep(event);
  }
}
