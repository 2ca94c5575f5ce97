/** Owns running a call that belongs to no turn: a call machine and a trace of its own, nothing else. */
import type { Fault } from '../call/fault.ts';
import { internalFault } from '../call/fault.ts';
import type { ToolResult } from '../call/result.ts';
import { failureOf } from '../call/result.ts';
import { createCallState } from '../call/state.ts';
import { describeError } from '../classify/index.ts';
import { Conductor } from '../drivers/conductor.ts';
import type { CallRun } from '../drivers/host.ts';
import { InProcessHost } from '../drivers/in-process/host.ts';
import type { CancelSignal } from '../ports/signal.ts';
import type { Redactor } from '../redact/redact.ts';
import { redactedCopy } from '../redact/redact.ts';
import { TurnTrace } from '../trace/turn-trace.ts';
import { settingsLookup } from '../drivers/call-settings.ts';
import { cancelledBefore, onCancel } from './cancellation.ts';
import type { ServiceKit } from './service-kit.ts';
import type { ReadCall } from './tool-call.ts';

export interface LoneCallOptions {
  readonly turnId: string;
  readonly timeoutMs: number | undefined;
  readonly signal: CancelSignal | undefined;
}

export function runLoneCall(
  kit: ServiceKit,
  call: ReadCall,
  { turnId, timeoutMs, signal }: LoneCallOptions,
  settle: (result: ToolResult) => void,
): void {
  const { system } = kit;
  const startedAt = system.now();
  const trace = new TurnTrace({ turnId, startedAt, timestamp: kit.datedFromNow(), sink: kit.hub.publish });
  const host = new InProcessHost(kit, trace, (error, crashed) => {
    if (!crashed || crashed.settled) return;
    crashed.settled = true;
    finish(failedResult(call, crashFault(error, kit.redact)));
  });
  const conductor = new Conductor(host);
  let stopListening: (() => void) | undefined;
  const deadline =
    timeoutMs === undefined
      ? undefined
      : system.setTimer(timeoutMs, () => conductor.feed(run, { type: 'deadline_reached', onDeadline: 'abort', timeoutMs }));
  const finish = (result: ToolResult): void => {
    stopListening?.();
    if (deadline) system.clearTimer(deadline);
    settle(result);
  };
  const run: CallRun = {
    state: createCallState(
      {
        turnId,
        seed: kit.seed,
        callKey: call.callId,
        callId: call.callId,
        toolName: call.toolName,
        optional: false,
        critical: false,
        lone: true,
        idempotencyKey: call.idempotencyKey ?? kit.nextExecution(),
        settingsOf: settingsLookup((name) => kit.runtimeOf(name)?.settings, call),
        deadlineAt: timeoutMs === undefined ? undefined : startedAt + timeoutMs,
        allowance: { left: kit.turnSettings.maxRetries },
        ...capturedArguments(kit, call.arguments),
      },
      kit.base,
      startedAt,
    ),
    arguments: call.arguments,
    prepared: undefined,
    timers: [],
    settled: false,
    dead: false,
    onSettled: finish,
  };
  const cancelled = cancelledBefore(kit, signal);
  if (cancelled) return conductor.feed(run, { type: 'cancelled', fault: cancelled });
  conductor.feed(run, { type: 'submitted' });
  if (!run.settled) stopListening = onCancel(kit, signal, (fault) => conductor.feed(run, { type: 'cancelled', fault }));
}

export function capturedArguments(kit: ServiceKit, args: unknown): { readonly capturedArguments?: unknown } {
  return kit.capture === 'none' ? {} : { capturedArguments: redactedCopy(args, { redact: kit.redact }) };
}

/** The result of a call that cannot be run at all. */
export function failedResult({ toolName, callId }: Pick<ReadCall, 'toolName' | 'callId'>, fault: Fault): ToolResult {
  return { toolName, callId, status: 'error', error: failureOf(fault, { toolName }), executionTime: 0, attempts: 0, servedBy: toolName };
}

/** A bug of ours, told as a result. */
export function crashFault(error: unknown, redact: Redactor): Fault {
  return internalFault('INTERNAL_ERROR', `Internal error: ${redact(describeError(error).message)}`, error);
}
