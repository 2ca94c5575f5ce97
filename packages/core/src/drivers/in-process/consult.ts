/**
 * Owns asking the Error Handler, and a user's advisor under a time limit.
 *
 * Invariant: the answer comes exactly once, at the latest `advisorTimeoutMs` after the question; the built-in decision stands in for whatever went wrong.
 */
import { describeError } from '../../classify/index.ts';
import type { System } from '../../ports/system.ts';
import type { Decision } from '../../recover/decision.ts';
import type { ErrorHandler, FailureNotice, HandlerAnswer } from '../../recover/error-handler.ts';
import { mayTake } from '../../recover/error-handler.ts';
import type { TraceEventBody } from '../../trace/events.ts';

interface ConsultPorts {
  readonly handler: ErrorHandler;
  readonly system: System;
  readonly append: (event: TraceEventBody) => void;
}

export function consult({ handler, system, append }: ConsultPorts, notice: FailureNotice, answer: (answer: HandlerAnswer) => void): void {
  const report = (component: 'handler' | 'policy' | 'memory', error: unknown): void =>
    append({ event_type: 'ComponentFailed', component, error: describeError(error).message, call_id: notice.callId });
  const builtIn = handler.handle(notice);
  for (const { component, error } of builtIn.faults ?? []) report(component, error);
  const { advisor, advisorTimeoutMs } = handler;
  if (!advisor) return answer(builtIn);

  let answered = false;
  const conclude = (advice: Decision | undefined): void => {
    if (answered) return;
    answered = true;
    answer(weigh(advice, builtIn));
  };
  const fail = (error: unknown): void => {
    if (!answered) report('handler', error);
    conclude(undefined);
  };
  try {
    const advice = advisor(notice, builtIn.inputs, builtIn.decision);
    if (advice === undefined || !('then' in advice)) return conclude(advice);
    const timer = system.setTimer(advisorTimeoutMs, () => fail(new Error(`no advice after ${advisorTimeoutMs} ms`)));
    Promise.resolve(advice)
      .then(conclude, fail)
      .then(() => system.clearTimer(timer), fail);
  } catch (error) {
    fail(error);
  }
}

/** An advice that is none, or that exceeds what the inputs allow, is not taken. */
function weigh(advice: Decision | undefined, builtIn: HandlerAnswer): HandlerAnswer {
  try {
    if (!advice || !mayTake(advice, builtIn.inputs)) return builtIn;
    const delayMs = advice.action === 'retry' ? Math.max(Number(advice.delay_ms ?? builtIn.inputs.next_delay_ms), builtIn.inputs.retry_after_ms ?? 0) : undefined;
    if (Number.isNaN(delayMs)) return builtIn;
    const decision: Decision = {
      action: advice.action,
      reason: String(advice.reason ?? 'Advised'),
      ...(delayMs === undefined ? {} : { delay_ms: delayMs }),
      ...(advice.alternative === undefined ? {} : { alternative: String(advice.alternative) }),
      ...(builtIn.decision.stopped_by === undefined ? {} : { stopped_by: builtIn.decision.stopped_by }),
      guards: builtIn.decision.guards,
    };
    return { inputs: builtIn.inputs, decision, decidedBy: 'handler' };
  } catch {
    return builtIn;
  }
}
