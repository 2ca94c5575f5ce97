/** Owns running calls that belong to no turn: a call machine and a trace for each; one host and one loop for all such calls of a service. */
import type { Fault } from '../../engine/call/fault.ts';
import { internalFault } from '../../engine/call/fault.ts';
import type { CallInput } from '../../engine/call/protocol.ts';
import type { ToolResult } from '../../engine/call/result.ts';
import { failureOf } from '../../engine/call/result.ts';
import type { CallSpec, CallState } from '../../engine/call/state.ts';
import { createCallState } from '../../engine/call/state.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import { settingsLookup } from '../drivers/call-settings.ts';
import { EffectLoop } from '../drivers/effect-loop.ts';
import { CallRun } from '../drivers/host.ts';
import { InProcessHost } from '../drivers/in-process/in-process-host.ts';
import type { CancelSignal } from '../../engine/ports/signal.ts';
import type { TimerHandle } from '../../engine/ports/system.ts';
import type { Redactor } from '../../engine/plain/redact.ts';
import { redactedCopy } from '../../engine/plain/redact.ts';
import { StreamedTrace } from '../../engine/trace/streamed-trace.ts';
import { cancelledBefore, onCancel } from './cancellation.ts';
import type { ServiceContext } from './service-context.ts';
import { SingleCallRecords } from './single-call-settings.ts';
import type { ReadCall } from './tool-call.ts';

type Settle = (result: ToolResult) => void;

/** Nested calls that may start on one stack; further ones wait until it unwinds. */
const MAX_NESTED = 50;

const submitted: CallInput = { type: 'submitted' };

export class SingleCalls {
  readonly #context: ServiceContext;
  readonly #host: InProcessHost;
  readonly #loop: EffectLoop;
  readonly #records: SingleCallRecords;

  /** Calls that are being started from within others. */
  #nested = 0;

  constructor(context: ServiceContext) {
    this.#context = context;
    this.#records = new SingleCallRecords(context);
    this.#host = new InProcessHost(context, (error, run) => {
      if (!run || run.settled) return;
      run.settled = true;
      run.onSettled(failedResult(run.state.spec, crashFault(error, context.redact)));
    });
    this.#loop = new EffectLoop(this.#host);
  }

  run(call: ReadCall, timeoutMs: number | undefined, signal: CancelSignal | undefined, settle: Settle): void {
    const context = this.#context;
    // A call made by a tool that is just being called starts synchronously, as any other does, so that the caller's context (the active span, an
    // AsyncLocalStorage) is in place.
    if (this.#loop.busy && this.#nested < MAX_NESTED) return this.#runNested(call, timeoutMs, signal, settle);
    const turnId = context.nextTurnId();
    const startedAt = this.#host.now();
    const trace = new StreamedTrace(context.streamedTraces, turnId, startedAt, context.epochAt(startedAt));
    const spec: CallSpec = {
      turnId,
      seed: context.seed,
      callKey: call.callId,
      callId: call.callId,
      toolName: call.toolName,
      optional: false,
      critical: false,
      single: true,
      idempotencyKey: call.idempotencyKey ?? context.executionOf(turnId),
      settingsOf: settingsLookup(context.settingsOf, call),
      deadlineAt: timeoutMs === undefined ? undefined : startedAt + timeoutMs,
      allowance: { left: context.turnSettings.maxRetries },
      capturedArguments: capturedArguments(context, call.arguments),
      recordedSettings: this.#records.of(call, timeoutMs),
    };
    const state = createCallState(spec, context.base, startedAt);
    if (timeoutMs === undefined && signal === undefined) this.#loop.begin(this.#runOf(state, trace, call.arguments, settle), submitted);
    else this.#runBounded(state, trace, call.arguments, { timeoutMs, signal }, settle);
  }

  #runNested(call: ReadCall, timeoutMs: number | undefined, signal: CancelSignal | undefined, settle: Settle): void {
    this.#nested += 1;
    try {
      new SingleCalls(this.#context).run(call, timeoutMs, signal, settle);
    } finally {
      this.#nested -= 1;
    }
  }

  #runOf(state: CallState, trace: StreamedTrace, args: unknown, settle: Settle): CallRun {
    const run = new CallRun(state, trace, args, undefined, settle);
    run.runInContext = this.#context.asyncContext?.();
    return run;
  }

  /** Runs a call under a time limit or a cancel signal of the caller. */
  #runBounded(
    state: CallState,
    trace: StreamedTrace,
    args: unknown,
    { timeoutMs, signal }: { readonly timeoutMs: number | undefined; readonly signal: CancelSignal | undefined },
    settle: Settle,
  ): void {
    const context = this.#context;
    const loop = this.#loop;
    let deadline: TimerHandle | undefined;
    let stopListening: (() => void) | undefined;
    const run = this.#runOf(state, trace, args, (result) => {
      settle(result);
      stopListening?.();
      if (deadline) context.system.clearTimer(deadline);
    });
    const cancelled = cancelledBefore(context, signal);
    if (cancelled) return loop.begin(run, { type: 'cancelled', fault: cancelled });
    if (timeoutMs !== undefined)
      deadline = context.system.setTimer(timeoutMs, () => loop.feed(run, { type: 'deadline_reached', onDeadline: 'abort', timeoutMs }));
    loop.begin(run, submitted);
    if (!run.settled) stopListening = onCancel(context, signal, (fault) => loop.feed(run, { type: 'cancelled', fault }));
  }
}

/** The arguments for the trace, if they are captured. */
export function capturedArguments({ capture, redact }: ServiceContext, args: unknown): unknown {
  return capture === 'none' ? undefined : redactedCopy(args, { redact });
}

/** The result of a call that cannot be run at all. */
export function failedResult({ toolName, callId }: Pick<ReadCall, 'toolName' | 'callId'>, fault: Fault): ToolResult {
  return { toolName, callId, status: 'error', error: failureOf(fault, { toolName }), executionTime: 0, attempts: 0, servedBy: toolName };
}

/** A bug of the engine, as a result. */
export function crashFault(error: unknown, redact: Redactor): Fault {
  return internalFault('INTERNAL_ERROR', `Internal error: ${redact(describeError(error).message)}`, error);
}
