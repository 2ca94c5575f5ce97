/**
 * Owns the in-process host: effects on promises and the system's clock, for one turn, or for all lone calls of a service.
 */
import type { Fault } from '../../../engine/call/fault.ts';
import { disabledToolFault, invalidArgumentsFault, unknownToolFault } from '../../../engine/call/fault.ts';
import type { CallInput } from '../../../engine/call/protocol.ts';
import type { TimerHandle } from '../../../engine/ports/system.ts';
import type { FailureNotice } from '../../../engine/recover/error-handler.ts';
import type { ValidationIssue } from '../../../engine/schema/issue.ts';
import type { Validation } from '../../../engine/schema/validator.ts';
import { sayIssues, sayUnchecked } from '../../../engine/schema/validator.ts';
import type { InProcessKit } from './host-context.ts';
import type { ToolRuntime } from '../tool-runtime.ts';
import type { TraceEventBody } from '../../../engine/trace/events.ts';
import type { Trace } from '../../../engine/trace/turn-trace.ts';
import { Gatekeeper } from '../tool-gates.ts';
import type { CallRun, Effect, Feed, Host, TimerPurpose } from '../host.ts';
import { Attempt } from './attempt.ts';
import { consult } from './consult.ts';

/** Tools without a time limit still get an answer about their arguments. */
const LONGEST_CHECK_MS = 60_000;

const prepared: CallInput = { type: 'prepared' };

export class InProcessHost implements Host {
  readonly #kit: InProcessKit;
  readonly gates: Gatekeeper;
  moment: number;
  readonly #onCrash: (error: unknown, run: CallRun | undefined) => void;

  constructor(kit: InProcessKit, onCrash: (error: unknown, run: CallRun | undefined) => void) {
    this.#kit = kit;
    this.#onCrash = onCrash;
    this.moment = kit.system.now();
    const { system, lastingRuntimeOf, sharing } = kit;
    this.gates = new Gatekeeper({ runtimeOf: lastingRuntimeOf, host: this, defer: (task) => system.defer(task), sharing });
  }

  now(): number {
    this.moment = this.#kit.system.now();
    return this.moment;
  }

  setTimer(delayMs: number, fire: () => void, { background }: Pick<TimerPurpose, 'background'>): TimerHandle {
    return this.#kit.system.setTimer(delayMs, fire, background, this.moment);
  }

  clearTimer(handle: TimerHandle): void {
    this.#kit.system.clearTimer(handle);
  }

  append(trace: Trace, event: TraceEventBody): void {
    trace.append(event, this.moment);
  }

  /** For events that come between steps. */
  #appendLater(trace: Trace, event: TraceEventBody): void {
    this.now();
    this.append(trace, event);
  }

  crashed(error: unknown, run: CallRun | undefined): void {
    this.#onCrash(error, run);
  }

  prepare(run: CallRun, { toolName }: Effect<'prepare'>, feed: Feed): void {
    const runtime = this.#kit.runtimeOf(toolName);
    const fault = run.problem ?? this.#unavailable(toolName, runtime);
    if (fault || !runtime) return feed(run, fault ? { type: 'prepared', fault } : prepared);
    if (!runtime.validateInput) {
      run.prepared = run.arguments;
      return feed(run, prepared);
    }
    const validation = runtime.validateInput(run.arguments);
    // A schema may take its time.
    this.now();
    if ('then' in validation) this.#awaitValidation(run, runtime, validation, feed);
    else this.#prepared(run, runtime, validation, feed);
  }

  #unavailable(toolName: string, runtime: ToolRuntime | undefined): Fault | undefined {
    if (!runtime) return unknownToolFault(this.#kit.redact(toolName), this.#kit.toolNames());
    return runtime.enabled ? undefined : disabledToolFault(toolName);
  }

  /** A schema that does not answer within the tool's own time limit has not checked anything. */
  #awaitValidation(run: CallRun, runtime: ToolRuntime, validation: Promise<Validation>, feed: Feed): void {
    const { timeoutMs } = run.state.leg.settings;
    let answered = false;
    const conclude = (checked: Validation): void => {
      if (answered) return;
      answered = true;
      this.now();
      this.#kit.system.clearTimer(timer);
      this.#prepared(run, runtime, checked, feed);
    };
    const fail = (error: unknown): void => conclude({ ok: 'unchecked', error });
    const timer = this.#kit.system.setTimer(Math.min(timeoutMs, LONGEST_CHECK_MS), () => fail(new Error('the schema did not answer')));
    validation.then(conclude, fail);
  }

  #prepared(run: CallRun, { tool }: ToolRuntime, checked: Validation, feed: Feed): void {
    let fault: Fault | undefined;
    if (checked.ok === 'unchecked') {
      this.#reportSchema(run, tool.name, `input schema: ${sayUnchecked(checked.error)}`);
      run.prepared = run.arguments;
    } else if (checked.ok) run.prepared = checked.value;
    else fault = this.#invalidArguments(run, checked.issues);
    feed(run, fault ? { type: 'prepared', fault } : prepared);
  }

  #invalidArguments(run: CallRun, issues: readonly ValidationIssue[]): Fault {
    try {
      return invalidArgumentsFault(sayIssues(issues, run.arguments, 'parameter').map(this.#kit.redact));
    } catch {
      // Arguments that cannot even be read to say what is wrong with them.
      return invalidArgumentsFault(['The arguments do not fit the schema, and cannot be read']);
    }
  }

  #reportSchema(run: CallRun, toolName: string, problem: string): void {
    this.#appendLater(run.trace, {
      event_type: 'ComponentFailed',
      component: 'schema',
      name: toolName,
      error: this.#kit.redact(problem),
      call_id: run.state.spec.callKey,
    });
  }

  startAttempt(run: CallRun, { toolName, attempt, timeoutMs }: Effect<'start_attempt'>, feed: Feed): void {
    const runtime = this.#kit.lastingRuntimeOf(toolName);
    if (!runtime) return;
    const started = new Attempt(this.#kit, runtime, run, attempt, timeoutMs, feed, this.#onUnchecked);
    run.running = run.running.length === 0 ? [started] : [...run.running, started];
    if (run.within) run.within(() => started.start(run.prepared));
    else started.start(run.prepared);
  }

  readonly #onUnchecked = (run: CallRun, toolName: string, problem: string): void =>
    this.#reportSchema(run, toolName, `output schema: ${problem}`);

  abortAttempt(run: CallRun, { attempt, reason }: Effect<'abort_attempt'>): void {
    run.running.find((running) => running.attempt === attempt)?.abort(reason);
  }

  consult(run: CallRun, notice: FailureNotice, feed: Feed): void {
    consult(
      {
        handler: this.#kit.handler,
        system: this.#kit.system,
        redact: this.#kit.redact,
        append: (event) => this.#appendLater(run.trace, event),
      },
      notice,
      (answer) => {
        // An advisor may take its time.
        if (this.#kit.handler.advisor) this.now();
        feed(run, { type: 'decided', answer });
      },
    );
  }
}
