import type { Admission, CircuitState, Permit, RefusalCode } from '../../src/engine/admission/types.ts';
import { stepCall } from '../../src/engine/call/machine.ts';
import type { Assessment, CallEffect, CallInput, CallTimer, Outcome } from '../../src/engine/call/protocol.ts';
import type { ToolResult } from '../../src/engine/call/result.ts';
import type { CallSpec, CallState } from '../../src/engine/call/state.ts';
import { createCallState } from '../../src/engine/call/state.ts';
import type { Decision } from '../../src/engine/recover/decision.ts';
import type { HandlerAnswer } from '../../src/engine/recover/error-handler.ts';
import { ErrorHandler } from '../../src/engine/recover/error-handler.ts';
import type { ToolPolicy } from '../../src/engine/settings/settings.ts';
import type { TraceEventBody, TraceEventType } from '../../src/engine/trace/events.ts';
import { CallLedger } from './call-ledger.ts';
import { settingsWith } from './call-settings.ts';

export interface BenchOptions {
  readonly tools?: Readonly<Record<string, ToolPolicy>>;
  readonly spec?: Partial<CallSpec>;
}

/** A request to a gate. */
export interface Request {
  readonly request: number;
  readonly toolName: string;
}

export interface PermitOptions {
  readonly permit?: Partial<Permit>;
  readonly circuit?: CircuitState;
  readonly hedgeAfterMs?: number;
  readonly request?: Request;
}

export function newPermit(more: Partial<Permit> = {}): Permit {
  return { generation: 1, probe: false, probeNumber: 0, recorded: false, released: false, orphaned: false, ...more };
}

/** A call machine that is stepped manually, without a driver; its effects are recorded and checked at every step. */
export class CallBench {
  readonly state: CallState;
  readonly ledger: CallLedger = new CallLedger();
  readonly effects: CallEffect[] = [];
  readonly handler: ErrorHandler = new ErrorHandler();
  now = 1_000;
  last: readonly CallEffect[] = [];
  #tickets = 0;

  constructor({ tools = { search: {} }, spec = {} }: BenchOptions = {}) {
    const settings = new Map(Object.entries(tools).map(([name, policy]) => [name, settingsWith(policy)]));
    const whole: CallSpec = {
      turnId: 'turn',
      seed: 'seed',
      callKey: 'call-1',
      callId: 'call-1',
      toolName: 'search',
      optional: false,
      critical: false,
      settingsOf: (name) => settings.get(name),
      deadlineAt: undefined,
      allowance: { left: null },
      idempotencyKey: 'key',
      ...spec,
    };
    this.state = createCallState(whole, settingsWith(), this.now);
  }

  get result(): ToolResult | undefined {
    return this.ledger.result;
  }

  get events(): readonly TraceEventBody[] {
    return this.effects.flatMap((effect) => (effect.type === 'append' ? [effect.event] : []));
  }

  eventsOf<Type extends TraceEventType>(type: Type): readonly Extract<TraceEventBody, { event_type: Type }>[] {
    return this.events.filter((event): event is Extract<TraceEventBody, { event_type: Type }> => event.event_type === type);
  }

  feed(input: CallInput): readonly CallEffect[] {
    const effects = stepCall(this.state, input, this.now);
    for (const effect of effects) this.ledger.take(effect, this.now);
    this.effects.push(...effects);
    this.last = effects;
    return effects;
  }

  /** The effects of the last step. */
  asked<Type extends CallEffect['type']>(type: Type): Extract<CallEffect, { type: Type }> | undefined {
    return this.last.find((effect): effect is Extract<CallEffect, { type: Type }> => effect.type === type);
  }

  pass(milliseconds: number): this {
    this.now += milliseconds;
    return this;
  }

  submit(): this {
    this.feed({ type: 'submitted' });
    return this;
  }

  prepared(): this {
    this.feed({ type: 'prepared' });
    return this;
  }

  /** The last request to the gate. */
  get request(): Request {
    return this.effects.findLast((effect) => effect.type === 'admit') ?? { request: 0, toolName: this.state.target.toolName };
  }

  permit(more: PermitOptions = {}): Permit {
    const permit = newPermit(more.permit);
    const request = more.request ?? this.request;
    this.ledger.give(permit, request.toolName);
    this.#answer({ kind: 'permit', permit }, request, more.circuit ?? 'closed', more.hedgeAfterMs);
    return permit;
  }

  wait(request: Request = this.request): number {
    this.#tickets += 1;
    const ticket = this.#tickets;
    this.#takeTicket(request);
    this.ledger.tickets.set(ticket, request.toolName);
    this.feed({
      type: 'admission',
      request: request.request,
      toolName: request.toolName,
      answer: { kind: 'wait', ticket },
      circuit: 'closed',
    });
    return ticket;
  }

  refuse(code: RefusalCode, retryAfterMs?: number, circuit: CircuitState = 'closed', request: Request = this.request): this {
    this.#answer({ kind: 'refused', refusal: { code, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) } }, request, circuit);
    return this;
  }

  #answer(answer: Admission, request: Request, circuit: CircuitState, hedgeAfterMs?: number): void {
    this.#takeTicket(request);
    this.feed({ type: 'admission', request: request.request, toolName: request.toolName, answer, circuit, hedgeAfterMs });
  }

  /** A waiting call that is answered has used its ticket. */
  #takeTicket({ request }: Request): void {
    if (this.state.pendingRequest === request && this.state.ticket !== undefined) this.ledger.tickets.delete(this.state.ticket);
  }

  end(attempt: number, outcome: Outcome): this {
    this.feed({ type: 'attempt_settled', attempt, outcome });
    return this;
  }

  assess(more: Partial<Assessment> = {}): this {
    this.feed({ type: 'assessed', assessment: { circuit: 'closed', alternatives: [], ...more } });
    return this;
  }

  /** Decides like the error handler, or as given. */
  decide(decision?: Omit<Decision, 'guards' | 'reason'>): this {
    const consulted = this.effects.findLast((effect) => effect.type === 'consult');
    if (consulted?.type !== 'consult') throw new Error('no advisor was consulted');
    const answer = this.handler.handle(consulted.notice);
    const given: HandlerAnswer = decision
      ? { ...answer, decision: { reason: 'given', guards: [], ...decision }, decidedBy: 'handler' }
      : answer;
    this.feed({ type: 'decided', answer: given });
    return this;
  }

  fire(timer: CallTimer, attempt: number): this {
    const key = `${timer} ${attempt}`;
    const dueAt = this.ledger.timers.get(key);
    if (dueAt === undefined) throw new Error(`no timer ${key}, only ${[...this.ledger.timers.keys()].join(', ')}`);
    this.ledger.timers.delete(key);
    this.now = Math.max(this.now, dueAt);
    this.feed({ type: 'timer_fired', timer, attempt });
    return this;
  }

  /** From submission to the first running attempt. */
  start(): this {
    this.submit().prepared().permit();
    return this;
  }
}
