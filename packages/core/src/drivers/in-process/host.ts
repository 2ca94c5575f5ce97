/**
 * Owns the in-process host: effects on promises and the system's clock, for one turn or one lone call.
 */
import type { Fault } from '../../call/fault.ts';
import { disabledToolFault, invalidArgumentsFault, unknownToolFault } from '../../call/fault.ts';
import { deliverOutput } from '../../call/output.ts';
import type { AbortReason, Outcome } from '../../call/protocol.ts';
import type { CancelSource, TimerHandle } from '../../ports/system.ts';
import type { FailureNotice } from '../../recover/error-handler.ts';
import { redactedCopy } from '../../redact/redact.ts';
import type { ValidationIssue } from '../../schema/issue.ts';
import type { Validation } from '../../schema/validator.ts';
import { sayIssues, sayUnchecked } from '../../schema/validator.ts';
import { sayDuration } from '../../text/duration.ts';
import type { InProcessKit } from './kit.ts';
import type { ToolRuntime } from '../tool-runtime.ts';
import type { TraceEventBody } from '../../trace/events.ts';
import type { TurnTrace } from '../../trace/turn-trace.ts';
import { Gatekeeper } from '../gatekeeper.ts';
import type { CallRun, Effect, Feed, Host, TimerPurpose } from '../host.ts';
import { consult } from './consult.ts';
import { runAttempt } from './attempt.ts';
import { readProgress } from './progress.ts';

/** Tools without a time limit still get an answer about their arguments. */
const LONGEST_CHECK_MS = 60_000;

export class InProcessHost implements Host {
  readonly #kit: InProcessKit;
  readonly #trace: TurnTrace;
  readonly gates: Gatekeeper;
  #moment: number;
  readonly #onCrash: (error: unknown, run: CallRun | undefined) => void;
  /** Cancel sources of running attempts, by call and attempt. */
  readonly #cancels = new Map<CallRun, Map<number, CancelSource>>();

  constructor(kit: InProcessKit, trace: TurnTrace, onCrash: (error: unknown, run: CallRun | undefined) => void) {
    this.#kit = kit;
    this.#trace = trace;
    this.#onCrash = onCrash;
    this.#moment = kit.system.now();
    const { system, runtimeOf } = kit;
    this.gates = new Gatekeeper({
      runtimeOf,
      now: () => this.#moment,
      present: () => this.now(),
      defer: (task) => system.defer(task),
      append: (event) => this.append(event),
    });
  }

  /** Reads the clock; whatever is done until it is read again happens at this moment. */
  now(): number {
    this.#moment = this.#kit.system.now();
    return this.#moment;
  }

  setTimer(delayMs: number, fire: () => void, { background }: TimerPurpose): TimerHandle {
    return this.#kit.system.setTimer(delayMs, fire, background);
  }

  clearTimer(handle: TimerHandle): void {
    this.#kit.system.clearTimer(handle);
  }

  append(event: TraceEventBody): void {
    this.#trace.append(event, this.#moment);
  }

  /** For events that come between steps. */
  #appendLater(event: TraceEventBody): void {
    this.now();
    this.append(event);
  }

  crashed(error: unknown, run: CallRun | undefined): void {
    this.#onCrash(error, run);
  }

  prepare(run: CallRun, { toolName }: Effect<'prepare'>, feed: Feed): void {
    const runtime = this.#kit.runtimeOf(toolName);
    const fault = run.problem ?? this.#unavailable(toolName, runtime);
    if (fault || !runtime) return feed(run, { type: 'prepared', ...(fault ? { fault } : {}) });
    if (!runtime.validateInput) {
      run.prepared = run.arguments;
      return feed(run, { type: 'prepared' });
    }
    const validation = runtime.validateInput(run.arguments);
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
    feed(run, fault ? { type: 'prepared', fault } : { type: 'prepared' });
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
    this.#appendLater({
      event_type: 'ComponentFailed',
      component: 'schema',
      name: toolName,
      error: this.#kit.redact(problem),
      call_id: run.state.spec.callKey,
    });
  }

  startAttempt(run: CallRun, { toolName, attempt, timeoutMs }: Effect<'start_attempt'>, feed: Feed): void {
    const runtime = this.#kit.runtimeOf(toolName);
    if (!runtime) return;
    const { system, redact } = this.#kit;
    const cancel = system.createCancelSource();
    const cancels = this.#cancels.get(run) ?? new Map<number, CancelSource>();
    this.#cancels.set(run, cancels.set(attempt, cancel));
    const tools = {
      runtime,
      redact,
      nowEpochMs: () => system.epochMs(),
      onUnchecked: (problem: string) => this.#reportSchema(run, toolName, `output schema: ${problem}`),
    };
    runAttempt(
      tools,
      run.prepared,
      {
        spec: run.state.spec,
        attempt,
        timeoutMs,
        cancel,
        reportProgress: (progress) => feed(run, { type: 'progress_reported', attempt, progress: readProgress(progress, redact) }),
        reportPartial: (output) =>
          feed(run, { type: 'partial_reported', attempt, ...deliverOutput(output, runtime.settings.maxOutputChars) }),
      },
      (outcome) => {
        cancels.delete(attempt);
        if (cancels.size === 0) this.#cancels.delete(run);
        feed(run, { type: 'attempt_settled', attempt, outcome: this.#capture(outcome) });
      },
    );
  }

  #capture(outcome: Outcome): Outcome {
    if (!outcome.ok || this.#kit.capture !== 'all') return outcome;
    return { ...outcome, captured: redactedCopy(outcome.output, { redact: this.#kit.redact }) };
  }

  abortAttempt(run: CallRun, { attempt, reason }: Effect<'abort_attempt'>): void {
    const leg = run.state.live.find(({ number }) => number === attempt)?.leg;
    this.#cancels
      .get(run)
      ?.get(attempt)
      ?.abort(() => abortError(reason, leg?.settings.timeoutMs ?? 0));
  }

  consult(run: CallRun, notice: FailureNotice, feed: Feed): void {
    consult(
      { handler: this.#kit.handler, system: this.#kit.system, redact: this.#kit.redact, append: (event) => this.#appendLater(event) },
      notice,
      (answer) => feed(run, { type: 'decided', answer }),
    );
  }
}

/** What the tool's signal is aborted with. */
function abortError(reason: AbortReason, timeoutMs: number): Error {
  const messages: Readonly<Record<AbortReason, string>> = {
    timeout: `Tool timeout after ${sayDuration(timeoutMs)}`,
    cancelled: 'Cancelled by the caller',
    deadline: 'Turn deadline reached',
    superseded: 'Another attempt answered first',
  };
  const error = new Error(messages[reason]);
  error.name = reason === 'timeout' ? 'TimeoutError' : 'AbortError';
  return error;
}
