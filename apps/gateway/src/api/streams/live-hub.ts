/**
 * Owns when the readers of the live stream get changes, and the content of the messages.
 *
 * Invariants
 * 1. A reader gets at most ten messages a second, and each change within 200 ms.
 * 2. Readers at the same position get the same bytes, which are serialized once.
 * 3. A reader is a position without a queue: a late one gets the current state.
 */
import type { AlertItem, LiveMessage, Totals } from '../../contract.ts';
import type { Changed } from '../../history/history.ts';

/** The source of changes. */
export interface LiveSource {
  cursor(): string;
  changedSince(cursor: string): Changed;
  totals(): Totals;
  /** Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
}

export interface LiveAlerts {
  readonly active: () => readonly AlertItem[];
  subscribe(listener: () => void): () => void;
}

export interface LiveClock {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Returns a function that cancels the task. */
  readonly schedule: (delayMs: number, task: () => void) => () => void;
  /** The current date and time. */
  readonly today: () => Date;
}

export interface LiveHubOptions {
  readonly history: LiveSource;
  readonly alerts: LiveAlerts;
  /** @default the system clock */
  readonly clock?: LiveClock | undefined;
}

/** The position of one reader in the stream of changes. */
export interface LiveReader {
  /** The current position. */
  readonly cursor: string;
  /** The next message; `undefined` when nothing has changed, or the next message is not due yet. */
  next(): Uint8Array<ArrayBuffer> | undefined;
  /** Calls the listener once when there may be more. Returns a function that stops waiting. */
  onMore(listener: () => void): () => void;
  close(): void;
}

const frameMs = 100;

interface Message {
  readonly from: string;
  readonly fromAlerts: number;
  readonly cursor: string;
  readonly alerts: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const machineClock: LiveClock = {
  now: () => performance.now(),
  schedule(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
  today: () => new Date(),
};

export class LiveHub {
  readonly #history: LiveSource;
  readonly #alerts: LiveAlerts;
  readonly #clock: LiveClock;
  readonly #encoder = new TextEncoder();
  readonly #waiting = new Set<() => void>();
  #readers = 0;
  #unsubscribe: (() => void) | undefined;
  /** Number of changes of alerts. */
  #alertsChanged = 0;
  #framedAt = Number.NEGATIVE_INFINITY;
  #callOff: (() => void) | undefined;
  #isFraming = false;
  #latest: Message | undefined;

  constructor({ history, alerts, clock = machineClock }: LiveHubOptions) {
    this.#history = history;
    this.#alerts = alerts;
    this.#clock = clock;
  }

  get readers(): number {
    return this.#readers;
  }

  /** `after` is a cursor. The first message contains everything if the cursor is not from this process. */
  open(after: string): LiveReader {
    this.#listen();
    let cursor = after;
    let alerts = -1;
    let givenAt = Number.NEGATIVE_INFINITY;
    let isOpen = true;
    return {
      get cursor() {
        return cursor;
      },
      next: () => {
        if (alerts === this.#alertsChanged && cursor === this.#history.cursor()) return undefined;
        const now = this.#moment();
        if (now - givenAt < frameMs) {
          this.#schedule();
          return undefined;
        }
        const message = this.#messageFrom(cursor, alerts);
        ({ cursor, alerts } = message);
        givenAt = now;
        return message.bytes;
      },
      onMore: (listener) => {
        this.#waiting.add(listener);
        return () => void this.#waiting.delete(listener);
      },
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#readers -= 1;
        if (this.#readers === 0) this.#stop();
      },
    };
  }

  #listen(): void {
    this.#readers += 1;
    if (this.#unsubscribe) return;
    const stopHistory = this.#history.subscribe(() => this.#schedule());
    const stopAlerts = this.#alerts.subscribe(() => {
      this.#alertsChanged += 1;
      this.#schedule();
    });
    this.#unsubscribe = () => {
      stopHistory();
      stopAlerts();
    };
  }

  /** Changes are not observed without readers, so the cached message and the count of alert changes become invalid. */
  #stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#callOff?.();
    this.#callOff = undefined;
    this.#latest = undefined;
    this.#alertsChanged += 1;
  }

  #schedule(): void {
    if (this.#callOff || this.#readers === 0) return;
    const sinceMs = this.#clock.now() - this.#framedAt;
    // Timers may fire a little early.
    this.#callOff = this.#clock.schedule(Math.max(0, Math.ceil(frameMs - sinceMs) + 1), () => this.#frame());
  }

  #frame(): void {
    this.#callOff = undefined;
    this.#framedAt = this.#clock.now();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    this.#isFraming = true;
    for (const wake of waiting) wake();
    this.#isFraming = false;
  }

  /** Readers that are woken together share one time stamp. */
  #moment(): number {
    return this.#isFraming ? this.#framedAt : this.#clock.now();
  }

  #messageFrom(from: string, fromAlerts: number): Message {
    const cursor = this.#history.cursor();
    const latest = this.#latest;
    const isSame = latest?.from === from && latest.fromAlerts === fromAlerts;
    if (latest && isSame && latest.cursor === cursor && latest.alerts === this.#alertsChanged) return latest;
    const changed = this.#history.changedSince(from);
    const live: LiveMessage = {
      cursor: changed.cursor,
      at: this.#clock.today().toISOString(),
      ...(changed.reset ? { reset: true } : {}),
      totals: this.#history.totals(),
      tools: changed.tools,
      ...(changed.removed_tools.length === 0 ? {} : { removed_tools: changed.removed_tools }),
      changes: changed.changes,
      ...(fromAlerts === this.#alertsChanged ? {} : { alerts: this.#alerts.active().filter(({ state }) => state !== 'resolved') }),
      turns: changed.turns,
    };
    const text = `id: ${changed.cursor}\nevent: change\ndata: ${JSON.stringify(live)}\n\n`;
    this.#latest = { from, fromAlerts, cursor: changed.cursor, alerts: this.#alertsChanged, bytes: this.#encoder.encode(text) };
    return this.#latest;
  }
}
