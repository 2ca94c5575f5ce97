/**
 * Owns running one attempt in this process: calling the tool's runner, handling its result of any kind, checking the output.
 *
 * Invariants
 * 1. Nothing a tool does can break the call: it may throw, reject, return a thenable that throws, resolve twice or never.
 * 2. An attempt is answered at most once.
 */
import type { Fault } from '../../../engine/call/fault.ts';
import { faultFromError, internalFault, invalidOutputFault } from '../../../engine/call/fault.ts';
import { deliverOutput } from '../../../engine/call/output.ts';
import type { AbortReason, Outcome } from '../../../engine/call/protocol.ts';
import type { CallSpec } from '../../../engine/call/state.ts';
import { describeError } from '../../../engine/classify/describe-error.ts';
import type { Mutable } from '../../../engine/plain/mutable.ts';
import type { Signal } from '../../../engine/ports/signal.ts';
import type { CancelSource } from '../../../engine/ports/system.ts';
import { redactedCopy, type Redactor } from '../../../engine/plain/redact.ts';
import type { ValidationIssue } from '../../../engine/schema/issue.ts';
import type { Validation } from '../../../engine/schema/validator.ts';
import { describeIssues, describeUnchecked } from '../../../engine/schema/validator.ts';
import { formatDuration } from '../../../engine/plain/duration.ts';
import type { AttemptContext, Progress } from '../../../engine/tool/runner.ts';
import type { CallRun, Feed, RunningAttempt } from '../host.ts';
import type { ToolRuntime } from '../tool-runtime.ts';
import type { HostContext } from './host-context.ts';
import { isObjectOrFunction } from '../../../engine/plain/is-object.ts';

const none: readonly never[] = [];

const attemptOf: unique symbol = Symbol('attempt');

/**
 * The context that the tool receives. `signal` and the functions are created when they are read, since most tools never do; they can be destructured.
 * Middleware that passes on a changed context therefore derives it (`Object.create(context, …)`) instead of copying.
 */
class Context implements AttemptContext {
  readonly toolName: string;
  readonly callId: string;
  readonly turnId: string;
  readonly attempt: number;
  readonly timeoutMs: number;
  readonly idempotencyKey: string;
  /** Not a `#private` field: a derived context reads it through its prototype. */
  readonly [attemptOf]: Attempt;

  constructor(toolName: string, spec: CallSpec, attempt: Attempt) {
    this.toolName = toolName;
    this.callId = spec.callId;
    this.turnId = spec.turnId;
    this.attempt = attempt.attempt;
    this.timeoutMs = attempt.timeoutMs;
    this.idempotencyKey = spec.idempotencyKey;
    this[attemptOf] = attempt;
  }

  get reportProgress(): (progress: Progress) => void {
    const attempt = this[attemptOf];
    return (progress) => attempt.reportProgress(progress);
  }

  get reportPartial(): (output: unknown) => void {
    const attempt = this[attemptOf];
    return (output) => attempt.reportPartial(output);
  }

  get signal(): Signal {
    return this[attemptOf].cancel.signal;
  }
}

/** One attempt: started once, answered at most once, by `attempt_settled`. */
export class Attempt implements RunningAttempt {
  readonly attempt: number;
  readonly timeoutMs: number;
  #cancel: CancelSource | undefined;
  readonly #host: HostContext;
  readonly #runtime: ToolRuntime;
  readonly #run: CallRun;
  readonly #feed: Feed;
  readonly #onUnchecked: (run: CallRun, toolName: string, problem: string) => void;

  constructor(
    host: HostContext,
    runtime: ToolRuntime,
    run: CallRun,
    attempt: number,
    timeoutMs: number,
    feed: Feed,
    onUnchecked: (run: CallRun, toolName: string, problem: string) => void,
  ) {
    this.attempt = attempt;
    this.timeoutMs = timeoutMs;
    this.#host = host;
    this.#runtime = runtime;
    this.#run = run;
    this.#feed = feed;
    this.#onUnchecked = onUnchecked;
  }

  start(args: unknown): void {
    const { run, tool } = this.#runtime;
    let returned: unknown;
    try {
      returned = run(args, new Context(tool.name, this.#run.state.spec, this));
      if (!isThenable(returned)) return this.#succeed(returned);
    } catch (error) {
      return this.#fail(error);
    }
    adopt(returned).then(
      (output) => this.#succeed(output),
      (error: unknown) => this.#fail(error),
    );
  }

  /** Created when first needed: most tools never read their signal. */
  get cancel(): CancelSource {
    this.#cancel ??= this.#host.system.createCancelSource();
    return this.#cancel;
  }

  abort(reason: AbortReason, cause?: unknown): void {
    this.cancel.abort(() => cause ?? abortError(reason, this.timeoutMs));
  }

  reportProgress(progress: Progress): void {
    this.#feed(this.#run, { type: 'progress_reported', attempt: this.attempt, progress: readProgress(progress, this.#host.redact) });
  }

  reportPartial(output: unknown): void {
    const { maxOutputChars } = this.#runtime.settings;
    const delivered = deliverOutput(output, maxOutputChars, maxOutputChars);
    this.#feed(this.#run, { type: 'partial_reported', attempt: this.attempt, ...delivered });
  }

  #settle(outcome: Outcome): void {
    const run = this.#run;
    run.running = run.running.length === 1 ? none : run.running.filter((one) => one !== this);
    this.#feed(run, { type: 'attempt_settled', attempt: this.attempt, outcome });
  }

  #fail(error: unknown): void {
    this.#settle({ ok: false, fault: this.#faultOf(error) });
  }

  #faultOf(error: unknown): Fault {
    const { system, redact } = this.#host;
    const { rules } = this.#runtime;
    try {
      return faultFromError(error, { nowEpochMs: system.epochMs(), rules, redact, callerAborted: this.#cancel?.aborted ?? false });
    } catch (problem) {
      return internalFault('INTERNAL_ERROR', `Internal error: ${redact(describeError(problem).message)}`, problem);
    }
  }

  #succeed(output: unknown): void {
    try {
      this.#check(output);
    } catch (error) {
      this.#fail(error);
    }
  }

  #check(output: unknown): void {
    const { validateOutput } = this.#runtime;
    if (!validateOutput) return this.#settle(this.#deliver(output));
    const validation = validateOutput(output);
    const conclude = (checked: Validation): void => this.#settle(this.#conclusion(output, checked));
    if ('then' in validation) validation.then(conclude, (error: unknown) => conclude({ ok: 'unchecked', error }));
    else conclude(validation);
  }

  #conclusion(output: unknown, checked: Validation): Outcome {
    if (checked.ok === 'unchecked') {
      this.#onUnchecked(this.#run, this.#runtime.tool.name, describeUnchecked(checked.error));
      return this.#deliver(output);
    }
    if (checked.ok) return this.#deliver(checked.value);
    return { ok: false, fault: invalidOutputFault(describeOutputIssues(checked.issues, output).map(this.#host.redact)) };
  }

  #deliver(value: unknown): Outcome {
    const { capture, redact } = this.#host;
    const { maxOutputChars } = this.#runtime.settings;
    const { output, altered } = deliverOutput(value, maxOutputChars, maxOutputChars);
    const outcome: Mutable<Extract<Outcome, { ok: true }>> = { ok: true, output };
    if (altered) outcome.altered = altered;
    if (capture === 'all') outcome.captured = redactedCopy(output, { redact });
    return outcome;
  }
}

/** Adopts a foreign thenable, or a promise with its own `then`; guards against one that throws or settles twice. */
function adopt(returned: PromiseLike<unknown>): Promise<unknown> {
  const plain = Object.getPrototypeOf(returned) === Promise.prototype && !Object.hasOwn(returned, 'then');
  return plain ? (returned as Promise<unknown>) : new Promise((resolve) => resolve(returned));
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return isObjectOrFunction(value) && typeof (value as { readonly then?: unknown }).then === 'function';
}

function describeOutputIssues(issues: readonly ValidationIssue[], output: unknown): readonly string[] {
  try {
    return describeIssues(issues, output, 'field');
  } catch {
    return ['the output cannot be read'];
  }
}

/** The reason that the tool's signal is aborted with. */
function abortError(reason: AbortReason, timeoutMs: number): Error {
  const messages: Readonly<Record<AbortReason, string>> = {
    timeout: `Tool timeout after ${formatDuration(timeoutMs)}`,
    idle: 'Tool timeout: no progress',
    cancelled: 'Cancelled by the caller',
    deadline: 'Turn deadline reached',
    superseded: 'Another attempt answered first',
  };
  const error = new Error(messages[reason]);
  error.name = reason === 'timeout' || reason === 'idle' ? 'TimeoutError' : 'AbortError';
  return error;
}

/** The known fields with plain values only, whatever the tool passes. */
function readProgress(given: unknown, redact: Redactor): Progress {
  try {
    const { progress, total, message } = given as Progress;
    return {
      ...(typeof progress === 'number' && Number.isFinite(progress) ? { progress } : {}),
      ...(typeof total === 'number' && Number.isFinite(total) ? { total } : {}),
      ...(typeof message === 'string' ? { message: redact(message.slice(0, 500)) } : {}),
    };
  } catch {
    return {};
  }
}
