/**
 * Owns the in-process host: effects on promises and the system's clock, for one turn, or for all single calls of a service.
 */
import type { Fault } from '../../../engine/call/fault.ts';
import { disabledToolFault, invalidArgumentsFault, unknownToolFault } from '../../../engine/call/fault.ts';
import type { CallInput } from '../../../engine/call/protocol.ts';
import type { TimerHandle } from '../../../engine/ports/system.ts';
import type { FailureNotice } from '../../../engine/recover/error-handler.ts';
import type { ValidationIssue } from '../../../engine/schema/issue.ts';
import type { Validation } from '../../../engine/schema/validator.ts';
import { describeIssues, describeUnchecked } from '../../../engine/schema/validator.ts';
import type { HostContext } from './host-context.ts';
import type { ToolRuntime } from '../tool-runtime.ts';
import type { TraceEventBody } from '../../../engine/trace/events.ts';
import type { Trace } from '../../../engine/trace/turn-trace.ts';
import { ToolGates } from '../tool-gates.ts';
import type { CallRun, Effect, Feed, Host, TimerPurpose } from '../host.ts';
import { Attempt } from './attempt.ts';
import { consult } from './consult.ts';

/** Limits the check of arguments for tools without a time limit. */
const MAX_CHECK_MS = 60_000;

const prepared: CallInput = { type: 'prepared' };

export class InProcessHost implements Host {
  readonly #context: HostContext;
  readonly gates: ToolGates;
  moment: number;
  readonly #onCrash: (error: unknown, run: CallRun | undefined) => void;

  constructor(context: HostContext, onCrash: (error: unknown, run: CallRun | undefined) => void) {
    this.#context = context;
    this.#onCrash = onCrash;
    this.moment = context.system.now();
    const { system, lastingRuntimeOf, sharing } = context;
    this.gates = new ToolGates({ runtimeOf: lastingRuntimeOf, host: this, defer: (task) => system.defer(task), sharing });
  }

  now(): number {
    this.moment = this.#context.system.now();
    return this.moment;
  }

  setTimer(delayMs: number, fire: () => void, { background }: Pick<TimerPurpose, 'background'>): TimerHandle {
    return this.#context.system.setTimer(delayMs, fire, background, this.moment);
  }

  clearTimer(handle: TimerHandle): void {
    this.#context.system.clearTimer(handle);
  }

  append(trace: Trace, event: TraceEventBody): void {
    trace.append(event, this.moment);
  }

  /** For events between steps. */
  #appendLater(trace: Trace, event: TraceEventBody): void {
    this.now();
    this.append(trace, event);
  }

  crashed(error: unknown, run: CallRun | undefined): void {
    this.#onCrash(error, run);
  }

  prepare(run: CallRun, { toolName }: Effect<'prepare'>, feed: Feed): void {
    const runtime = this.#context.runtimeOf(toolName);
    const fault = run.problem ?? this.#unavailable(toolName, runtime);
    if (fault || !runtime) return feed(run, fault ? { type: 'prepared', fault } : prepared);
    if (!runtime.validateInput) {
      run.prepared = run.arguments;
      return feed(run, prepared);
    }
    const validation = runtime.validateInput(run.arguments);
    // A schema may be asynchronous.
    this.now();
    if ('then' in validation) this.#awaitValidation(run, runtime, validation, feed);
    else this.#finishPreparation(run, runtime, validation, feed);
  }

  #unavailable(toolName: string, runtime: ToolRuntime | undefined): Fault | undefined {
    if (!runtime) return unknownToolFault(this.#context.redact(toolName), this.#context.toolNames());
    return runtime.enabled ? undefined : disabledToolFault(toolName);
  }

  /** A schema that does not answer within the tool's own time limit counts as unchecked. */
  #awaitValidation(run: CallRun, runtime: ToolRuntime, validation: Promise<Validation>, feed: Feed): void {
    const { timeoutMs } = run.state.target.settings;
    let answered = false;
    const conclude = (checked: Validation): void => {
      if (answered) return;
      answered = true;
      this.now();
      this.#context.system.clearTimer(timer);
      this.#finishPreparation(run, runtime, checked, feed);
    };
    const fail = (error: unknown): void => conclude({ ok: 'unchecked', error });
    const timer = this.#context.system.setTimer(Math.min(timeoutMs, MAX_CHECK_MS), () =>
      fail(new Error('the schema did not return a result')),
    );
    validation.then(conclude, fail);
  }

  #finishPreparation(run: CallRun, { tool }: ToolRuntime, checked: Validation, feed: Feed): void {
    let fault: Fault | undefined;
    if (checked.ok === 'unchecked') {
      this.#reportSchema(run, tool.name, `input schema: ${describeUnchecked(checked.error)}`);
      run.prepared = run.arguments;
    } else if (checked.ok) run.prepared = checked.value;
    else fault = this.#invalidArguments(run, checked.issues);
    feed(run, fault ? { type: 'prepared', fault } : prepared);
  }

  #invalidArguments(run: CallRun, issues: readonly ValidationIssue[]): Fault {
    try {
      return invalidArgumentsFault(describeIssues(issues, run.arguments, 'parameter').map(this.#context.redact));
    } catch {
      // The arguments cannot even be read to describe what is wrong with them.
      return invalidArgumentsFault(['The arguments do not match the schema, and cannot be read']);
    }
  }

  #reportSchema(run: CallRun, toolName: string, problem: string): void {
    this.#appendLater(run.trace, {
      event_type: 'ComponentFailed',
      component: 'schema',
      name: toolName,
      error: this.#context.redact(problem),
      call_id: run.state.spec.callKey,
    });
  }

  startAttempt(run: CallRun, { toolName, attempt, timeoutMs }: Effect<'start_attempt'>, feed: Feed): void {
    const runtime = this.#context.lastingRuntimeOf(toolName);
    if (!runtime) return;
    const started = new Attempt(this.#context, runtime, run, attempt, timeoutMs, feed, this.#onUnchecked);
    run.running = run.running.length === 0 ? [started] : [...run.running, started];
    if (run.runInContext) run.runInContext(() => started.start(run.prepared));
    else started.start(run.prepared);
  }

  readonly #onUnchecked = (run: CallRun, toolName: string, problem: string): void =>
    this.#reportSchema(run, toolName, `output schema: ${problem}`);

  abortAttempt(run: CallRun, { attempt, reason, cause }: Effect<'abort_attempt'>): void {
    run.running.find((running) => running.attempt === attempt)?.abort(reason, cause);
  }

  consult(run: CallRun, notice: FailureNotice, feed: Feed): void {
    const partition = this.#context.lastingRuntimeOf(notice.toolName)?.partition;
    consult(
      {
        handler: this.#context.handler,
        system: this.#context.system,
        redact: this.#context.redact,
        append: (event) => this.#appendLater(run.trace, event),
      },
      partition ? { ...notice, partition } : notice,
      (answer) => {
        // An advisor may take time.
        if (this.#context.handler.advisor) this.now();
        feed(run, { type: 'decided', answer });
      },
    );
  }
}
