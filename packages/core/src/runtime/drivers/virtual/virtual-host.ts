/** Owns the virtual host: effects on an agenda, attempts performed by a function, the same gates as everywhere. One host may serve many turns. */
import { unknownToolFault } from '../../../engine/call/fault.ts';
import type { AbortReason, Outcome } from '../../../engine/call/protocol.ts';
import type { TimerHandle } from '../../../engine/ports/system.ts';
import type { ErrorHandler, FailureNotice } from '../../../engine/recover/error-handler.ts';
import type { GatedTool } from '../tool-runtime.ts';
import type { TraceEventBody } from '../../../engine/trace/events.ts';
import type { Trace } from '../../../engine/trace/turn-trace.ts';
import { ToolGates } from '../tool-gates.ts';
import type { CallRun, Effect, Feed, Host } from '../host.ts';
import type { Agenda } from './agenda.ts';

export interface AttemptRequest {
  readonly turnId: string;
  readonly callKey: string;
  readonly toolName: string;
  /** Over all tools of the call, from 1. */
  readonly attempt: number;
  readonly arguments: unknown;
  /** Simulated time since the start. */
  readonly now: number;
}

/** Aborts the work of an attempt. It must still settle when it really ends: only then is its slot free. */
export type Abort = (reason: AbortReason) => void;

/**
 * Performs one attempt: `settle` must be called once, now or later. Returns the function that aborts it; `undefined` for work that ignores the signal.
 */
export type Perform = (
  request: AttemptRequest,
  settle: (outcome: Outcome) => void,
  reportPartial: (output: unknown) => void,
) => Abort | undefined;

export interface VirtualHostOptions {
  readonly agenda: Agenda;
  readonly handler: ErrorHandler;
  readonly tools: ReadonlyMap<string, GatedTool>;
  readonly perform: Perform;
}

const none: readonly never[] = [];

export class VirtualHost implements Host {
  readonly #options: VirtualHostOptions;
  readonly gates: ToolGates;

  constructor(options: VirtualHostOptions) {
    this.#options = options;
    const { agenda, tools } = options;
    this.gates = new ToolGates({
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
    const { turnId, callKey } = run.state.spec;
    let settled = false;
    const settle = (outcome: Outcome): void => {
      if (settled) return;
      settled = true;
      run.running = run.running.length <= 1 ? none : run.running.filter((one) => one.attempt !== attempt);
      feed(run, { type: 'attempt_settled', attempt, outcome });
    };
    const abort = this.#options.perform(
      { turnId, callKey, toolName, attempt, arguments: run.arguments, now: this.now() },
      settle,
      (output) => feed(run, { type: 'partial_reported', attempt, output }),
    );
    if (settled || !abort) return;
    const running = { attempt, abort };
    run.running = run.running.length === 0 ? [running] : [...run.running, running];
  }

  abortAttempt(run: CallRun, { attempt, reason }: Effect<'abort_attempt'>): void {
    const { running } = run;
    for (let index = 0; index < running.length; index++) if (running[index]?.attempt === attempt) return running[index]?.abort(reason);
  }

  consult(run: CallRun, notice: FailureNotice, feed: Feed): void {
    feed(run, { type: 'decided', answer: this.#options.handler.handle(notice) });
  }
}
