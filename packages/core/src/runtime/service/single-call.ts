/** Owns running calls that belong to no turn: a call machine and a trace for each, one host and one loop for all of a service's. */
import type { Fault } from '../../engine/call/fault.ts';
import { internalFault } from '../../engine/call/fault.ts';
import type { CallInput } from '../../engine/call/protocol.ts';
import type { ToolResult } from '../../engine/call/result.ts';
import { failureOf } from '../../engine/call/result.ts';
import type { CallSpec, CallState } from '../../engine/call/state.ts';
import { createCallState } from '../../engine/call/state.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import { settingsLookup } from '../drivers/call-settings.ts';
import { Conductor } from '../drivers/effect-loop.ts';
import { CallRun } from '../drivers/host.ts';
import { InProcessHost } from '../drivers/in-process/in-process-host.ts';
import type { CancelSignal } from '../../engine/ports/signal.ts';
import type { TimerHandle } from '../../engine/ports/system.ts';
import type { Redactor } from '../../engine/plain/redact.ts';
import { redactedCopy } from '../../engine/plain/redact.ts';
import { StreamedTrace } from '../../engine/trace/streamed-trace.ts';
import { cancelledBefore, onCancel } from './cancellation.ts';
import type { ServiceKit } from './service-context.ts';
import type { ReadCall } from './tool-call.ts';

type Settle = (result: ToolResult) => void;

/** Calls within calls that begin on one stack; further ones wait until it is left. */
const DEEPEST = 50;

const submitted: CallInput = { type: 'submitted' };

export class LoneCalls {
  readonly #kit: ServiceKit;
  readonly #host: InProcessHost;
  readonly #conductor: Conductor;

  /** Calls that are just being begun from within others. */
  #nested = 0;

  constructor(kit: ServiceKit) {
    this.#kit = kit;
    this.#host = new InProcessHost(kit, (error, run) => {
      if (!run || run.settled) return;
      run.settled = true;
      run.onSettled(failedResult(run.state.spec, crashFault(error, kit.redact)));
    });
    this.#conductor = new Conductor(this.#host);
  }

  run(call: ReadCall, timeoutMs: number | undefined, signal: CancelSignal | undefined, settle: Settle): void {
    const kit = this.#kit;
    // A call made by a tool that is just being called begins where it is made, as any other does: what goes along with that place (the active span, an
    // AsyncLocalStorage) is there then.
    if (this.#conductor.busy && this.#nested < DEEPEST) return this.#runNested(call, timeoutMs, signal, settle);
    const turnId = kit.nextTurnId();
    const startedAt = this.#host.now();
    const trace = new StreamedTrace(kit.streamedTraces, turnId, startedAt, kit.epochAt(startedAt));
    const spec: CallSpec = {
      turnId,
      seed: kit.seed,
      callKey: call.callId,
      callId: call.callId,
      toolName: call.toolName,
      optional: false,
      critical: false,
      lone: true,
      idempotencyKey: call.idempotencyKey ?? kit.executionOf(turnId),
      settingsOf: settingsLookup(kit.settingsOf, call),
      deadlineAt: timeoutMs === undefined ? undefined : startedAt + timeoutMs,
      allowance: { left: kit.turnSettings.maxRetries },
      capturedArguments: capturedArguments(kit, call.arguments),
    };
    const state = createCallState(spec, kit.base, startedAt);
    if (timeoutMs === undefined && signal === undefined)
      this.#conductor.begin(this.#runOf(state, trace, call.arguments, settle), submitted);
    else this.#runBounded(state, trace, call.arguments, { timeoutMs, signal }, settle);
  }

  #runNested(call: ReadCall, timeoutMs: number | undefined, signal: CancelSignal | undefined, settle: Settle): void {
    this.#nested += 1;
    try {
      new LoneCalls(this.#kit).run(call, timeoutMs, signal, settle);
    } finally {
      this.#nested -= 1;
    }
  }

  #runOf(state: CallState, trace: StreamedTrace, args: unknown, settle: Settle): CallRun {
    const run = new CallRun(state, trace, args, undefined, settle);
    run.within = this.#kit.asyncContext?.();
    return run;
  }

  /** Under a time limit or a cancel signal of the caller's. */
  #runBounded(
    state: CallState,
    trace: StreamedTrace,
    args: unknown,
    { timeoutMs, signal }: { readonly timeoutMs: number | undefined; readonly signal: CancelSignal | undefined },
    settle: Settle,
  ): void {
    const kit = this.#kit;
    const conductor = this.#conductor;
    let deadline: TimerHandle | undefined;
    let stopListening: (() => void) | undefined;
    const run = this.#runOf(state, trace, args, (result) => {
      settle(result);
      stopListening?.();
      if (deadline) kit.system.clearTimer(deadline);
    });
    const cancelled = cancelledBefore(kit, signal);
    if (cancelled) return conductor.begin(run, { type: 'cancelled', fault: cancelled });
    if (timeoutMs !== undefined)
      deadline = kit.system.setTimer(timeoutMs, () => conductor.feed(run, { type: 'deadline_reached', onDeadline: 'abort', timeoutMs }));
    conductor.begin(run, submitted);
    if (!run.settled) stopListening = onCancel(kit, signal, (fault) => conductor.feed(run, { type: 'cancelled', fault }));
  }
}

/** The arguments as they go into the trace, if they do. */
export function capturedArguments({ capture, redact }: ServiceKit, args: unknown): unknown {
  return capture === 'none' ? undefined : redactedCopy(args, { redact });
}

/** The result of a call that cannot be run at all. */
export function failedResult({ toolName, callId }: Pick<ReadCall, 'toolName' | 'callId'>, fault: Fault): ToolResult {
  return { toolName, callId, status: 'error', error: failureOf(fault, { toolName }), executionTime: 0, attempts: 0, servedBy: toolName };
}

/** A bug of ours, told as a result. */
export function crashFault(error: unknown, redact: Redactor): Fault {
  return internalFault('INTERNAL_ERROR', `Internal error: ${redact(describeError(error).message)}`, error);
}
