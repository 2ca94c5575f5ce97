/**
 * Owns when the readers of the live stream get changes, and the content of the messages.
 *
 * Invariants
 * 1. A reader gets at most ten messages a second, and each change within 200 ms.
 * 2. Readers at the same position get the same bytes, which are serialized once.
 * 3. A reader is a position without a queue: a late one gets the current state.
 * 4. A message about thousands of tools is made in slices, and readers are woken when it is ready.
 */
import { jsonSteps } from '../../calls/json-in-slices.ts';
import type { AlertItem, LiveMessage, Totals } from '../../contract.ts';
import type { Changed } from '../../history/history.ts';
import { inSlices, type Steps } from '../../plain/steps.ts';

/** The source of changes. */
export interface LiveSource {
  cursor(): string;
  /** Whether `changedSince` returns the changes since then, not everything. */
  knows(cursor: string): boolean;
  changedSince(cursor: string): Steps<Changed>;
  totals(): Steps<Totals>;
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
  readonly cursor: string;
  readonly alerts: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A message that is ready, or becomes so. */
interface Making {
  message?: Message | undefined;
  error?: unknown;
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
  /** By where its readers are. */
  readonly #makings = new Map<string, Making>();

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
    let cursor = this.#history.knows(after) ? after : '';
    let making: Making | undefined;
    let alerts = -1;
    let givenAt = Number.NEGATIVE_INFINITY;
    let isOpen = true;
    return {
      get cursor() {
        return cursor;
      },
      next: () => {
        if (making === undefined && alerts === this.#alertsChanged && cursor === this.#history.cursor()) return undefined;
        const now = this.#moment();
        if (now - givenAt < frameMs) {
          this.#schedule();
          return undefined;
        }
        making ??= this.#make(cursor, alerts);
        const { message, error } = making;
        if (error !== undefined) throw error;
        if (message === undefined) return undefined;
        making = undefined;
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
    this.#forget();
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
    this.#forget();
    this.#wake();
  }

  #wake(): void {
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

  /** What is being made stays: those who join wait for it. */
  #forget(): void {
    for (const [place, { message, error }] of this.#makings) if (message ?? error) this.#makings.delete(place);
  }

  #make(from: string, fromAlerts: number): Making {
    const place = `${from} ${fromAlerts}`;
    const known = this.#makings.get(place);
    const made = known?.message;
    const isCurrent = !made || (made.cursor === this.#history.cursor() && made.alerts === this.#alertsChanged);
    if (known && known.error === undefined && isCurrent) return known;
    const message = inSlices(this.#messageSteps(from, fromAlerts));
    const making: Making = message instanceof Promise ? {} : { message };
    this.#makings.set(place, making);
    if (message instanceof Promise) void this.#follow(making, message).finally(() => this.#wake());
    return making;
  }

  async #follow(making: Making, message: Promise<Message>): Promise<void> {
    try {
      making.message = await message;
    } catch (error) {
      making.error = error ?? new Error('The stream has failed');
    }
  }

  *#messageSteps(from: string, fromAlerts: number): Steps<Message> {
    const alerts = this.#alertsChanged;
    const news = fromAlerts === alerts ? {} : { alerts: this.#alerts.active().filter(({ state }) => state !== 'resolved') };
    const changed = yield* this.#history.changedSince(from);
    const live: LiveMessage = {
      cursor: changed.cursor,
      at: this.#clock.today().toISOString(),
      ...(changed.reset ? { reset: true } : {}),
      totals: yield* this.#history.totals(),
      tools: changed.tools,
      ...(changed.removed_tools.length === 0 ? {} : { removed_tools: changed.removed_tools }),
      changes: changed.changes,
      ...news,
      turns: changed.turns,
    };
    const text = `id: ${changed.cursor}\nevent: change\ndata: ${yield* jsonSteps(live)}\n\n`;
    yield;
    return { cursor: changed.cursor, alerts, bytes: this.#encoder.encode(text) };
  }
}
