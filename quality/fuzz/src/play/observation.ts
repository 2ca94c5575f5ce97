/**
 * Owns what an observer beside the engine sees: attempts that begin, end and are aborted, as the tools themselves see it, in one list with the trace's
 * events. It knows nothing of the engine's internal state.
 */
import type { ToolSettings, TraceEvent, TurnReport } from '@holdfast/core';
import type { AttemptScript } from '../scene/attempt-script.ts';
import type { FuzzScene, FuzzTurn } from '../scene/scene.ts';

/** One attempt, as its tool sees it. */
export interface Work {
  readonly toolName: string;
  readonly turnId: string;
  readonly callId: string;
  readonly attempt: number;
  readonly idempotencyKey: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly script: AttemptScript;
  readonly beganAt: number;
  /** Position in the order of all events. */
  readonly order: number;
  /** 1 for the first process. */
  readonly process: number;
  endedAt: number;
  abortedAt: number;
  /** The wait that the server asked for when it ended, as intended. */
  waitMs: number;
  /** When the machine was asleep. */
  readonly sleeps: readonly Sleep[];
  readonly partials: { readonly at: number; readonly output: unknown }[];
}

/** A time in which the machine slept: no timer fired before its end. */
export interface Sleep {
  readonly from: number;
  readonly until: number;
}

/** When a task due at `time` can run at the earliest: once the machine is awake. */
export function awake(sleeps: readonly Sleep[], time: number): number {
  return sleeps.find(({ from, until }) => time >= from && time < until)?.until ?? time;
}

export interface SeenEvent {
  readonly at: number;
  readonly order: number;
  readonly process: number;
  readonly event: TraceEvent;
}

export interface PlayedTurn {
  readonly turn: FuzzTurn;
  readonly beganAt: number;
  readonly process: number;
  /** Absent if its process was killed. */
  readonly report: TurnReport | undefined;
  readonly returnedAt: number;
  readonly trace: readonly TraceEvent[];
}

/** What is left when everything has ended. */
export interface Leftovers {
  /** After all finite work has ended: timers beyond one for each attempt that never ends. */
  readonly timersAfterWork: number;
  /** After all limits have passed. */
  readonly timers: number;
  readonly held: Readonly<Record<string, number>>;
  readonly queued: Readonly<Record<string, number>>;
}

export interface Play {
  readonly scene: FuzzScene;
  readonly driver: 'in_process' | 'virtual' | 'journaled';
  readonly works: readonly Work[];
  readonly events: readonly SeenEvent[];
  readonly turns: readonly PlayedTurn[];
  readonly settings: Readonly<Record<string, ToolSettings>>;
  readonly sleeps: readonly Sleep[];
  readonly leftovers: Leftovers | undefined;
  /** Problems of the run itself: something threw, rejected, or was never answered. */
  readonly problems: readonly string[];
}

export class Observer {
  readonly works: Work[] = [];
  readonly events: SeenEvent[] = [];
  readonly problems: string[] = [];
  readonly sleeps: Sleep[] = [];
  process = 1;
  readonly #now: () => number;
  #order = 0;
  #onChange: () => void = () => {};

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Called whenever work has ended. */
  set onChange(listener: () => void) {
    this.#onChange = listener;
  }

  begin(work: Pick<Work, 'toolName' | 'turnId' | 'callId' | 'attempt' | 'idempotencyKey' | 'timeoutMs' | 'script'>): Work {
    const seen: Work = {
      ...work,
      beganAt: this.#now(),
      order: (this.#order += 1),
      process: this.process,
      endedAt: Number.POSITIVE_INFINITY,
      abortedAt: Number.POSITIVE_INFINITY,
      waitMs: 0,
      sleeps: this.sleeps,
      partials: [],
    };
    this.works.push(seen);
    return seen;
  }

  end(work: Work): void {
    work.endedAt = Math.min(work.endedAt, this.#now());
    this.#onChange();
  }

  abort(work: Work): void {
    work.abortedAt = Math.min(work.abortedAt, this.#now());
  }

  /** The machine sleeps from now on. */
  sleep(milliseconds: number): void {
    this.sleeps.push({ from: this.#now(), until: this.#now() + milliseconds });
  }

  receive(event: TraceEvent, process: number = this.process): void {
    this.events.push({ at: this.#now(), order: (this.#order += 1), process, event });
  }

  /** Whether work is running that will end. */
  get isBusy(): boolean {
    return this.works.some(({ endedAt, abortedAt, script }) => endedAt === Number.POSITIVE_INFINITY && willEnd(script, abortedAt));
  }

  /** Work that never ends. */
  get endless(): number {
    return this.works.filter(({ endedAt, abortedAt, script }) => endedAt === Number.POSITIVE_INFINITY && !willEnd(script, abortedAt))
      .length;
  }
}

function willEnd({ afterMs, stopsAfterMs }: AttemptScript, abortedAt: number): boolean {
  return afterMs !== Number.POSITIVE_INFINITY || (abortedAt !== Number.POSITIVE_INFINITY && stopsAfterMs !== Number.POSITIVE_INFINITY);
}
