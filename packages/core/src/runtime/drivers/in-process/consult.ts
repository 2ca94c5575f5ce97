/**
 * Owns asking the Error Handler, and a user's advisor under a time limit.
 *
 * Invariant: the answer comes exactly once, at the latest `advisorTimeoutMs` after the request; if anything goes wrong, the built-in decision is used.
 */
import { describeError } from '../../../engine/classify/describe-error.ts';
import type { System } from '../../../engine/ports/system.ts';
import type { Decision } from '../../../engine/recover/decision.ts';
import type { Advisor, ErrorHandler, FailureNotice, HandlerAnswer, HandlerFault } from '../../../engine/recover/error-handler.ts';
import { isRecord } from '../../../engine/plain/is-object.ts';
import { decideByRules, mayTake } from '../../../engine/recover/error-handler.ts';
import type { Mutable } from '../../../engine/plain/mutable.ts';
import type { Redactor } from '../../../engine/plain/redact.ts';
import type { TraceEventBody } from '../../../engine/trace/events.ts';

interface ConsultPorts {
  readonly handler: ErrorHandler;
  readonly system: System;
  readonly redact: Redactor;
  readonly append: (event: TraceEventBody) => void;
}

export function consult(ports: ConsultPorts, notice: FailureNotice, answer: (answer: HandlerAnswer) => void): void {
  const builtIn = askHandler(ports, notice);
  for (const { component, error } of builtIn.faults ?? []) report(ports, notice, component, error);
  const { advisor } = ports.handler;
  if (advisor) askAdvisor(ports, advisor, notice, builtIn, answer);
  else answer(builtIn);
}

/** A handler of the caller's may do anything; its rules, which may forbid, count all the same. */
function askHandler(ports: ConsultPorts, notice: FailureNotice): HandlerAnswer {
  try {
    const answer: unknown = ports.handler.handle(notice);
    if (isRecord(answer) && isRecord(answer['inputs']) && isRecord(answer['decision']) && Array.isArray(answer['decision']['guards']))
      return answer as unknown as HandlerAnswer;
    throw new TypeError('handle must return an answer with inputs and a decision synchronously.');
  } catch (error) {
    report(ports, notice, 'handler', error);
    return decideByRules(notice, ports.handler.recoveryRules);
  }
}

function report({ append, redact }: ConsultPorts, { callId }: FailureNotice, component: HandlerFault['component'], error: unknown): void {
  append({ event_type: 'ComponentFailed', component, error: redact(describeError(error).message), call_id: callId });
}

function askAdvisor(
  ports: ConsultPorts,
  advisor: Advisor,
  notice: FailureNotice,
  builtIn: HandlerAnswer,
  answer: (answer: HandlerAnswer) => void,
): void {
  const { system } = ports;
  const { advisorTimeoutMs } = ports.handler;
  let answered = false;
  const conclude = (advice: Decision | undefined): void => {
    if (answered) return;
    answered = true;
    answer(weigh(advice, builtIn));
  };
  const fail = (error: unknown): void => {
    if (!answered) report(ports, notice, 'handler', error);
    conclude(undefined);
  };
  try {
    // The advisor receives a copy: its changes have no effect.
    const advice = advisor({ ...notice, facts: plainCopy(notice.facts) }, plainCopy(builtIn.inputs), plainCopy(builtIn.decision));
    if (typeof advice !== 'object' || advice === null) return conclude(undefined);
    if (!('then' in advice)) return conclude(advice);
    const timer = system.setTimer(advisorTimeoutMs, () => fail(new Error(`no advice after ${advisorTimeoutMs} ms`)));
    Promise.resolve(advice)
      .then(conclude, fail)
      .then(() => system.clearTimer(timer), fail);
  } catch (error) {
    fail(error);
  }
}

/** Copies plain data. */
function plainCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plainCopy) as T;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plainCopy<unknown>(part)])) as T;
}

/** Invalid advice, or advice that exceeds what the inputs allow, is rejected. */
function weigh(advice: Decision | undefined, builtIn: HandlerAnswer): HandlerAnswer {
  try {
    const decision = advice && readAdvice(advice, builtIn);
    return decision && mayTake(decision, builtIn.inputs) ? { inputs: builtIn.inputs, decision, decidedBy: 'handler' } : builtIn;
  } catch {
    return builtIn;
  }
}

/** Reads each field once, so that the decision that is checked is the one carried out. */
function readAdvice({ action, reason, delayMs, alternative }: Decision, { inputs, decision }: HandlerAnswer): Decision {
  const advice: Mutable<Decision> = { action, reason: String(reason ?? 'Advised'), guards: decision.guards };
  if (action === 'retry') advice.delayMs = Math.max(Number(delayMs ?? inputs.nextDelayMs), inputs.retryAfterMs ?? 0);
  if (alternative !== undefined) advice.alternative = String(alternative);
  if (decision.stoppedBy !== undefined) advice.stoppedBy = decision.stoppedBy;
  return advice;
}
