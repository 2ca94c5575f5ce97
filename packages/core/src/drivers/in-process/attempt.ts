/**
 * Owns the running of one attempt in this process: calling the tool's runner, taking whatever comes of it, checking the output.
 *
 * Invariants
 * 1. Nothing a tool does escapes: it may throw, reject, return a thenable that throws, resolve twice or never.
 * 2. An attempt is answered at most once.
 */
import { faultFromError, invalidOutputFault } from '../../call/fault.ts';
import { deliverOutput } from '../../call/output.ts';
import type { Outcome } from '../../call/protocol.ts';
import type { Signal } from '../../ports/signal.ts';
import type { CancelSource } from '../../ports/system.ts';
import type { Redactor } from '../../redact/redact.ts';
import { sayIssues, sayUnchecked } from '../../schema/validator.ts';
import type { ValidationIssue } from '../../schema/issue.ts';
import type { Validation } from '../../schema/validator.ts';
import type { ToolRuntime } from '../tool-runtime.ts';
import type { AttemptContext, Progress } from '../../tool/runner.ts';
import type { CallSpec } from '../../call/state.ts';

export interface AttemptOptions {
  readonly spec: CallSpec;
  readonly attempt: number;
  readonly timeoutMs: number;
  readonly cancel: CancelSource;
  readonly reportProgress: (progress: Progress) => void;
  readonly reportPartial: (output: unknown) => void;
}

const made: unique symbol = Symbol('made of');

/**
 * What the tool sees. Functions are its own, so that they can be taken out of it; `signal` is made when it is first read, so a policy that hands on a
 * changed context derives it (`Object.create(context, …)`) instead of copying.
 */
class Context implements AttemptContext {
  readonly toolName: string;
  readonly callId: string;
  readonly turnId: string;
  readonly attempt: number;
  readonly timeoutMs: number;
  readonly idempotencyKey: string;
  readonly reportProgress: (progress: Progress) => void;
  readonly reportPartial: (output: unknown) => void;
  /** Not private by `#`: a derived context reads it through its prototype. */
  readonly [made]: AttemptOptions;

  constructor(toolName: string, options: AttemptOptions) {
    this.toolName = toolName;
    this.callId = options.spec.callId;
    this.turnId = options.spec.turnId;
    this.attempt = options.attempt;
    this.timeoutMs = options.timeoutMs;
    this.idempotencyKey = options.spec.idempotencyKey;
    this.reportProgress = options.reportProgress;
    this.reportPartial = options.reportPartial;
    this[made] = options;
  }

  get signal(): Signal {
    return this[made].cancel.signal;
  }
}

export interface AttemptTools {
  readonly runtime: ToolRuntime;
  readonly redact: Redactor;
  readonly nowEpochMs: () => number;
  /** The output schema could not be used. */
  readonly onUnchecked: (problem: string) => void;
}

/** Runs the tool once; `settle` is called exactly once, unless the tool never answers. */
export function runAttempt(tools: AttemptTools, args: unknown, options: AttemptOptions, settle: (outcome: Outcome) => void): void {
  const { runtime, redact } = tools;
  const fail = (error: unknown): void => {
    const callerAborted = options.cancel.aborted;
    settle({ ok: false, fault: faultFromError(error, { nowEpochMs: tools.nowEpochMs(), rules: runtime.rules, redact, callerAborted }) });
  };
  const succeed = (output: unknown): void => {
    try {
      checkOutput(tools, output, settle);
    } catch (error) {
      fail(error);
    }
  };
  let returned: unknown;
  try {
    returned = runtime.run(args, new Context(runtime.tool.name, options));
    if (!isThenable(returned)) return succeed(returned);
  } catch (error) {
    return fail(error);
  }
  adopt(returned).then(succeed, fail);
}

/** Adopting a foreign thenable, or a promise with a `then` of its own, guards against one that throws or settles twice. */
function adopt(returned: PromiseLike<unknown>): Promise<unknown> {
  const plain = Object.getPrototypeOf(returned) === Promise.prototype && !Object.hasOwn(returned, 'then');
  return plain ? (returned as Promise<unknown>) : new Promise((resolve) => resolve(returned));
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    typeof (value as { readonly then?: unknown }).then === 'function'
  );
}

function checkOutput(tools: AttemptTools, output: unknown, settle: (outcome: Outcome) => void): void {
  const { runtime } = tools;
  if (!runtime.validateOutput) return settle(deliver(runtime, output));
  const validation = runtime.validateOutput(output);
  const conclude = (checked: Validation): void => settle(conclusion(tools, output, checked));
  if ('then' in validation) validation.then(conclude, (error: unknown) => conclude({ ok: 'unchecked', error }));
  else conclude(validation);
}

function conclusion({ runtime, redact, onUnchecked }: AttemptTools, output: unknown, checked: Validation): Outcome {
  if (checked.ok === 'unchecked') {
    onUnchecked(sayUnchecked(checked.error));
    return deliver(runtime, output);
  }
  if (checked.ok) return deliver(runtime, checked.value);
  return { ok: false, fault: invalidOutputFault(sayOutputIssues(checked.issues, output).map(redact)) };
}

function sayOutputIssues(issues: readonly ValidationIssue[], output: unknown): readonly string[] {
  try {
    return sayIssues(issues, output, 'field');
  } catch {
    return ['the output cannot be read'];
  }
}

function deliver({ settings }: ToolRuntime, output: unknown): Outcome {
  const delivered = deliverOutput(output, settings.maxOutputChars);
  return delivered.altered ? { ok: true, output: delivered.output, altered: delivered.altered } : { ok: true, output: delivered.output };
}
