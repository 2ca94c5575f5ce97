/** Owns which ready calls start now, under the turn's concurrency limit, and with which arguments. */
import { resolveReferences } from './references.ts';
import { invalidArgumentsFault } from '../call/fault.ts';
import type { Fault } from '../call/fault.ts';
import { describeError } from '../classify/describe-error.ts';
import type { CallProgress, TurnState, TurnStep } from './state.ts';
import { takeReady } from './ready-queue.ts';

/** Starts the calls that may start. */
export function startReady(step: TurnStep): void {
  const { state, now, effects } = step;
  while (state.ended === undefined && state.running < state.settings.concurrency) {
    const call = takeReady(state);
    if (!call) break;
    call.stage = 'running';
    call.startedAt = now;
    state.running += 1;
    effects.push({ type: 'start_call', node: call.node, ...argumentsOf(state, call) });
  }
}

/** The arguments with references replaced by outputs. A reference that cannot be resolved is a problem of this call alone. */
function argumentsOf(state: TurnState, call: CallProgress): { readonly arguments: unknown; readonly problem?: Fault } {
  const { arguments: given = {} } = call.node.call;
  if (!call.node.refers) return { arguments: given };
  try {
    const { value, missing } = resolveReferences(given, inputsOf(state, call));
    return missing.length === 0 ? { arguments: value } : { arguments: value, problem: missingFault(missing) };
  } catch (error) {
    return { arguments: given, problem: invalidArgumentsFault([`The arguments cannot be read: ${describeError(error).message}`]) };
  }
}

/** The outputs of this call's dependencies, or its declared defaults for those that failed. */
function inputsOf(state: TurnState, { node }: CallProgress): ReadonlyMap<string, unknown> {
  const { defaults } = node.call;
  if (!defaults) return state.outputs;
  const inputs = new Map(state.outputs);
  for (const [dependency, value] of Object.entries(defaults)) if (!inputs.has(dependency)) inputs.set(dependency, value);
  return inputs;
}

/** The outputs that a call refers to lack a value that it needs. */
function missingFault(missing: readonly string[]): Fault {
  return invalidArgumentsFault(missing.map((place) => `The output of another call has no '${place}'`));
}
