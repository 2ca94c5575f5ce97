/**
 * Owns what a result means for the calls that wait for it: run, run on a default, be skipped, be escalated (docs/specification.md#s0-5, #s1-5).
 */
import type { Fault } from '../call/fault.ts';
import { deadlineFault, dependencyFault } from '../call/fault.ts';
import { callCompleted } from '../call/events.ts';
import type { FailureDetails, ToolResult } from '../call/result.ts';
import { failureOf } from '../call/result.ts';
import { userMessageFor } from '../call/messages.ts';
import type { TurnEffect } from './protocol.ts';
import { makeReady } from './ready-queue.ts';
import type { CallProgress, TurnStep } from './state.ts';

interface Settlement {
  readonly call: CallProgress;
  readonly result: ToolResult;
}

/** A call has its result: calls that waited only for it become ready, or are lost with it, and so on down the graph. */
export function settleCall(step: TurnStep, callId: string, result: ToolResult): void {
  const call = step.state.calls.get(callId);
  if (!call || call.stage === 'settled') return;
  if (call.node.dependants.length === 0) return settleAlone(step, call, result);
  // A list, not recursion: chains may be thousands of calls long.
  const settlements: Settlement[] = [{ call, result }];
  for (const settlement of settlements) settlements.push(...apply(step, settlement));
}

function settleAlone({ state, now }: TurnStep, call: CallProgress, result: ToolResult): void {
  if (call.stage === 'running') state.running -= 1;
  call.stage = 'settled';
  call.result = result;
  call.settledAt = now;
  state.unsettled -= 1;
}

function apply(step: TurnStep, { call, result }: Settlement): readonly Settlement[] {
  const { state } = step;
  const { callId, dependants } = call.node;
  settleAlone(step, call, result);
  // A static fallback is an output too: dependent calls run on it.
  if (result.status === 'success' || result.fallbackUsed) state.outputs.set(callId, result.output);
  return dependants.flatMap((name) => {
    const dependant = state.calls.get(name);
    if (!dependant || dependant.stage !== 'waiting') return [];
    dependant.openDependencies -= 1;
    return dependant.openDependencies > 0 || state.ended !== undefined ? [] : dependenciesSettled(step, dependant);
  });
}

/** An optional call is skipped. Otherwise a declared default is used. Otherwise the call is escalated and not run (docs/specification.md#s0-5-1). */
function dependenciesSettled(step: TurnStep, call: CallProgress): readonly Settlement[] {
  const { state, effects } = step;
  const lost = call.node.dependsOn.filter((name) => !state.outputs.has(name));
  const { defaults = {}, optional = false, toolName } = call.node.call;
  const cause = optional ? lost[0] : lost.find((name) => !Object.hasOwn(defaults, name));
  if (cause !== undefined) return [skip(step, call, cause)];
  for (const dependency of lost) {
    effects.push({
      type: 'append',
      event: {
        event_type: 'DefaultUsed',
        call_id: call.node.callId,
        tool_id: toolName,
        dependency,
        message: `Used default value for ${toolName}`,
      },
    });
  }
  makeReady(state, call);
  return [];
}

/** An optional call is skipped; a required one is escalated and not run (docs/specification.md#s1-5-2). */
function skip({ state, effects }: TurnStep, call: CallProgress, cause: string): Settlement {
  const { callId } = call.node;
  const { toolName, optional = false, critical = false } = call.node.call;
  const causedBy = shortenedChain([cause, ...(state.calls.get(cause)?.result?.error?.causedBy ?? [])]);
  const fault = dependencyFault(causedBy);
  const result = unrunResult(call, fault, { causedBy });
  effects.push({
    type: 'append',
    event: {
      event_type: 'ToolSkipped',
      call_id: callId,
      tool_id: toolName,
      optional,
      caused_by: causedBy,
      decision: optional ? 'skip' : 'escalate',
      message: `${optional ? 'Optional' : 'Required'} tool skipped due to dependency failure`,
    },
  });
  if (!optional) {
    const escalated = { event_type: 'Escalated', call_id: callId, tool_id: toolName, critical, code: fault.code } as const;
    effects.push({
      type: 'append',
      event: { ...escalated, user_message: userMessageFor(fault.code, toolName), message: `Escalated: ${fault.text}` },
    });
  }
  effects.push(completion(call, result));
  return { call, result };
}

/** Long chains keep their beginning and their first cause. */
const MAX_CHAIN_LENGTH = 8;

function shortenedChain(chain: readonly string[]): readonly string[] {
  return chain.length <= MAX_CHAIN_LENGTH ? chain : [...chain.slice(0, MAX_CHAIN_LENGTH - 2), '…', ...chain.slice(-1)];
}

/** Ends the calls that were not started before the turn ended. */
export function endUnstarted(step: TurnStep, why: 'deadline' | Fault): void {
  const { state } = step;
  const deadline = why === 'deadline';
  const fault = deadline ? deadlineFault(state.settings.timeoutMs, 'waiting') : why;
  for (const call of state.calls.values()) {
    if (call.stage === 'waiting' || call.stage === 'ready')
      settleUnrun(step, call, unrunResult(call, fault, deadline ? { stoppedBy: 'deadline' } : {}));
  }
}

function unrunResult({ node }: CallProgress, fault: Fault, details: Omit<FailureDetails, 'toolName'> = {}): ToolResult {
  const { toolName } = node.call;
  const error = failureOf(fault, { toolName, ...details });
  const status = fault.kind === 'timeout' ? 'timeout' : 'error';
  return {
    toolName,
    callId: node.callId,
    executionTime: 0,
    attempts: 0,
    servedBy: toolName,
    status,
    error,
    ...(details.causedBy ? { skipped: true } : {}),
  };
}

function settleUnrun(step: TurnStep, call: CallProgress, result: ToolResult): void {
  step.effects.push(completion(call, result));
  settleCall(step, call.node.callId, result);
}

/** The result of a call that no call machine ran. */
function completion({ node }: CallProgress, result: ToolResult): TurnEffect {
  return { type: 'append', event: callCompleted(node.callId, result) };
}
