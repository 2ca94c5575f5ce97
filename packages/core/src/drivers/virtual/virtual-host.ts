/** Owns the virtual host: effects on an agenda, attempts from a script, the same gates as everywhere. */
import { unknownToolFault } from '../../call/fault.ts';
import type { Outcome } from '../../call/protocol.ts';
import type { TimerHandle } from '../../ports/system.ts';
import type { ErrorHandler, FailureNotice } from '../../recover/error-handler.ts';
import type { GatedTool } from '../tool-runtime.ts';
import type { TraceEventBody } from '../../trace/events.ts';
import type { Trace } from '../../trace/turn-trace.ts';
import { Gatekeeper } from '../gatekeeper.ts';
import type { CallRun, Effect, Feed, Host } from '../host.ts';
import type { Agenda } from './agenda.ts';

/** How one attempt goes, as a script says. */
export interface ScriptedAttempt {
  /** `Infinity`: never. */
  readonly afterMs: number;
  readonly outcome: Outcome;
  /** How long the work goes on after it was told to stop; `Infinity` for work that does not listen. @default 0 */
  readonly stopsAfterMs?: number;
  /** When it hands over partial output; `undefined` stands for that output. @default [] */
  readonly partialsAfterMs?: readonly number[];
}

export interface AttemptRequest {
  readonly callKey: string;
  readonly toolName: string;
  /** Over all tools of the call, from 1. */
  readonly attempt: number;
  readonly arguments: unknown;
  /** Simulated time since the start. */
  readonly now: number;
}

/** Plays the tools. */
export type Script = (request: AttemptRequest) => ScriptedAttempt;

export interface VirtualHostOptions {
  readonly agenda: Agenda;
  readonly handler: ErrorHandler;
  readonly tools: ReadonlyMap<string, GatedTool>;
  readonly script: Script;
}

interface Running {
  readonly handle: TimerHandle | undefined;
  readonly stopsAfterMs: number;
  readonly settle: () => void;
}

export class VirtualHost implements Host {
  readonly #options: VirtualHostOptions;
  readonly gates: Gatekeeper;
  readonly #running = new Map<string, Running>();

  constructor(options: VirtualHostOptions) {
    this.#options = options;
    const { agenda, tools } = options;
    this.gates = new Gatekeeper({
      runtimeOf: (name) => tools.get(name),
      host: this,
      defer: (task) => void agenda.at(agenda.now(), task),
    });
  }

  get moment(): number {
    return this.now();
  }

  now(): number {
    return this.#options.agenda.now();
  }

  setTimer(delayMs: number, fire: () => void): TimerHandle {
    return this.#options.agenda.at(this.now() + delayMs, fire);
  }

  clearTimer(handle: TimerHandle): void {
    this.#options.agenda.cancel(handle);
  }

  append(trace: Trace, event: TraceEventBody): void {
    trace.append(event, this.now());
  }

  crashed(error: unknown): void {
    throw error;
  }

  prepare(run: CallRun, { toolName }: Effect<'prepare'>, feed: Feed): void {
    const known = this.#options.tools.has(toolName);
    if (run.problem) return feed(run, { type: 'prepared', fault: run.problem });
    feed(run, known ? { type: 'prepared' } : { type: 'prepared', fault: unknownToolFault(toolName, [...this.#options.tools.keys()]) });
  }

  startAttempt(run: CallRun, { toolName, attempt }: Effect<'start_attempt'>, feed: Feed): void {
    const { agenda, script } = this.#options;
    const { callKey } = run.state.spec;
    const {
      afterMs,
      outcome,
      stopsAfterMs = 0,
      partialsAfterMs = [],
    } = script({ callKey, toolName, attempt, arguments: run.arguments, now: this.now() });
    const key = `${callKey} ${attempt}`;
    const settle = (): void => {
      this.#running.delete(key);
      feed(run, { type: 'attempt_settled', attempt, outcome });
    };
    for (const partial of partialsAfterMs)
      agenda.at(this.now() + partial, () => feed(run, { type: 'partial_reported', attempt, output: undefined }));
    const handle = Number.isFinite(afterMs) ? agenda.at(this.now() + afterMs, settle) : undefined;
    this.#running.set(key, { handle, stopsAfterMs, settle });
  }

  abortAttempt(run: CallRun, { attempt }: Effect<'abort_attempt'>): void {
    const { agenda } = this.#options;
    const running = this.#running.get(`${run.state.spec.callKey} ${attempt}`);
    if (!running || !Number.isFinite(running.stopsAfterMs)) return;
    const stopsAt = this.now() + running.stopsAfterMs;
    if (running.handle && running.handle.dueAt <= stopsAt) return;
    if (running.handle) agenda.cancel(running.handle);
    agenda.at(stopsAt, running.settle);
  }

  consult(run: CallRun, notice: FailureNotice, feed: Feed): void {
    feed(run, { type: 'decided', answer: this.#options.handler.handle(notice) });
  }
}
