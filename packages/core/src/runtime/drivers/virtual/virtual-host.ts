/** Owns the virtual host: effects on an agenda, attempts performed by a function, the same gates as in real time. One host may serve many turns. */
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

/** One attempt of a simulated tool. */
export interface AttemptRequest {
  /** Id of the turn. */
  readonly turnId: string;
  /** Id of the call, unique within its turn. */
  readonly callKey: string;
  /** Name of the tool in use: the requested one, or an alternative. */
  readonly toolName: string;
  /** Number of the attempt within the call, from 1, alternatives included. */
  readonly attempt: number;
  /** Arguments of the call, with references replaced by outputs. */
  readonly arguments: unknown;
  /** Simulated time since the start. */
  readonly now: number;
}

/** Aborts the work of an attempt. The attempt must still settle when the work really ends: only then is its slot free. */
export type Abort = (reason: AbortReason) => void;

/**
 * Performs one attempt: `settle` must be called once, now or later. Returns the function that aborts it; `undefined` for work that ignores the signal.
 */
export type Perform = (
  request: AttemptRequest,
  settle: (outcome: Outcome) => void,
  reportPartial: (output: unknown) => void,
  reportProgress: () => void,
) => Abort | undefined;

/** The dependencies of a virtual host. */
export interface VirtualHostOptions {
  /** Clock and timers. */
  readonly agenda: Agenda;
  /** Decides about failures; its advisor is not asked. */
  readonly handler: ErrorHandler;
  /** The tools that exist, by name. */
  readonly tools: ReadonlyMap<string, GatedTool>;
  /** Performs every attempt. */
  readonly perform: Perform;
}

const none: readonly never[] = [];

/** Host in simulated time: timers on an agenda, attempts performed by a function, the same gates as in real time. */
export class VirtualHost implements Host {
  readonly #options: VirtualHostOptions;
  /** The gates of the tools, shared by all turns of the host. */
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

  /** The simulated time, as `now` returns it. */
  get moment(): number {
    return this.now();
  }

  /** Returns the simulated time in milliseconds. */
  now(): number {
    return this.#options.agenda.now();
  }

  /** Runs `fire` after `delayMs` of simulated time. */
  setTimer(delayMs: number, fire: () => void): TimerHandle {
    return this.#options.agenda.at(this.now() + delayMs, fire);
  }

  /** Cancels a timer. */
  clearTimer(handle: TimerHandle): void {
    this.#options.agenda.cancel(handle);
  }

  /** Appends an event at the simulated time. */
  append(trace: Trace, event: TraceEventBody): void {
    trace.append(event, this.now());
  }

  /** Throws the error: a bug ends the simulation. */
  crashed(error: unknown): void {
    throw error;
  }

  /** Answers `prepared`, with a fault for an unknown tool; arguments are not validated. */
  prepare(run: CallRun, { toolName }: Effect<'prepare'>, feed: Feed): void {
    const known = this.#options.tools.has(toolName);
    if (run.problem) return feed(run, { type: 'prepared', fault: run.problem });
    feed(run, known ? { type: 'prepared' } : { type: 'prepared', fault: unknownToolFault(toolName, [...this.#options.tools.keys()]) });
  }

  /** Performs an attempt; answers `attempt_settled` once. */
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
      () => feed(run, { type: 'progress_reported', attempt, progress: {} }),
    );
    if (settled || !abort) return;
    const running = { attempt, abort };
    run.running = run.running.length === 0 ? [running] : [...run.running, running];
  }

  /** Aborts an attempt, unless its work ignores the signal. */
  abortAttempt(run: CallRun, { attempt, reason }: Effect<'abort_attempt'>): void {
    const { running } = run;
    for (let index = 0; index < running.length; index++) if (running[index]?.attempt === attempt) return running[index]?.abort(reason);
  }

  /** Answers `decided` at once, with the built-in decision. */
  consult(run: CallRun, notice: FailureNotice, feed: Feed): void {
    feed(run, { type: 'decided', answer: this.#options.handler.handle(notice) });
  }
}
