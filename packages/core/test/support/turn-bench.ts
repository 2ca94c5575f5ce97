import type { Fault } from '../../src/engine/call/fault.ts';
import type { ToolResult } from '../../src/engine/call/result.ts';
import { failureOf } from '../../src/engine/call/result.ts';
import { profiles } from '../../src/engine/settings/profiles.ts';
import type { TurnSettings } from '../../src/engine/settings/settings.ts';
import type { TraceEventBody } from '../../src/engine/trace/events.ts';
import { stepTurn } from '../../src/engine/turn/machine.ts';
import type { PlannedCall } from '../../src/engine/turn/plan.ts';
import { checkPlan } from '../../src/engine/turn/plan.ts';
import type { TurnEffect, TurnInput } from '../../src/engine/turn/protocol.ts';
import type { TurnReport } from '../../src/engine/turn/report.ts';
import type { TurnState } from '../../src/engine/turn/state.ts';
import { createTurnState } from '../../src/engine/turn/state.ts';
import { cancelFault, permanentFault } from './faults.ts';

export type Ending = 'success' | 'error' | 'timeout' | 'fallback';

/** A turn machine that is stepped manually; records running calls and effects, and throws at the first violation of its invariants. */
export class TurnBench {
  readonly state: TurnState;
  readonly running = new Map<string, unknown>();
  readonly started: string[] = [];
  readonly events: TraceEventBody[] = [];
  /** Why calls that cannot run were started. */
  readonly problems = new Map<string, string>();
  report: TurnReport | undefined;
  now = 0;

  constructor(calls: readonly PlannedCall[], settings: Partial<TurnSettings> = {}) {
    const checked = checkPlan(calls);
    if (!checked.ok) throw new Error(checked.problems.map(({ message }) => message).join(' '));
    this.state = createTurnState('turn', checked.graph, { ...profiles.spec.turn, ...settings }, 0);
    this.feed({ type: 'submitted' });
  }

  feed(input: TurnInput): void {
    const pending: TurnInput[] = [];
    for (const effect of stepTurn(this.state, input, this.now)) this.#take(effect, pending);
    for (const answer of pending) this.feed(answer);
  }

  #take(effect: TurnEffect, pending: TurnInput[]): void {
    switch (effect.type) {
      case 'append':
        return void this.events.push(effect.event);
      case 'start_call':
        return this.#start(effect);
      case 'expire_call':
        return void pending.push({ type: 'call_settled', callId: effect.callId, result: this.result(effect.callId, 'timeout') });
      case 'cancel_call':
        return void pending.push({
          type: 'call_settled',
          callId: effect.callId,
          result: this.result(effect.callId, 'error', effect.fault),
        });
      case 'settle':
        if (this.report) throw new Error('settled twice');
        this.report = effect.report;
        return;
      default:
    }
  }

  #start({ node, arguments: args, problem }: Extract<TurnEffect, { type: 'start_call' }>): void {
    if (this.report || this.state.ended) throw new Error(`${node.callId} started after the end`);
    if (this.started.includes(node.callId) && this.started.length < 1_000) throw new Error(`${node.callId} started twice`);
    for (const name of node.dependsOn)
      if (this.state.calls.get(name)?.stage !== 'settled') throw new Error(`${node.callId} started before ${name}`);
    this.started.push(node.callId);
    this.running.set(node.callId, args);
    if (problem) this.problems.set(node.callId, problem.message);
    if (this.running.size > this.state.settings.concurrency) throw new Error('too many at once');
  }

  result(callId: string, ending: Ending, fault: Fault = permanentFault('lost')): ToolResult {
    this.running.delete(callId);
    const toolName = this.state.calls.get(callId)?.node.call.toolName ?? '';
    const base = { toolName, callId, executionTime: 0, attempts: 1, servedBy: toolName };
    if (ending === 'success') return { ...base, status: 'success', output: { from: callId } };
    const error = failureOf(fault, { toolName });
    if (ending === 'fallback') return { ...base, status: 'error', error, output: { from: callId }, fallbackUsed: true };
    return { ...base, status: ending, error };
  }

  end(callId: string, ending: Ending = 'success'): this {
    this.feed({ type: 'call_settled', callId, result: this.result(callId, ending) });
    return this;
  }

  endAll(ending: Ending = 'success'): this {
    for (let [next] = this.running.keys(); next !== undefined; [next] = this.running.keys()) this.end(next, ending);
    return this;
  }

  cancel(): this {
    this.feed({ type: 'cancelled', fault: cancelFault() });
    return this;
  }

  expire(): this {
    this.feed({ type: 'deadline_reached' });
    return this;
  }
}
