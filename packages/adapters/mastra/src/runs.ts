/**
 * Owns finding the run of a call: by the id of the agent's run, which is new for each `generate` or `stream` and stays the same when it is resumed.
 *
 * Invariant: a call outside of an agent (a step of a workflow, a direct call) is a run of its own: what repeats there is the program's will.
 */
import type { ParsedReliable, ReliableOptions } from '@holdfast/adapter-kit';
import type { AgentRun, AnySession, ModelCall } from '@holdfast/core/agent';
import type { ToolContext } from './call-context.ts';

/** One conversation, and the calls of its current answer as far as they are known. */
export interface RunBinding {
  readonly agentRun: AgentRun;
  calls: ModelCall[];
}

/** Runs that were not used for longest are forgotten: then failures are counted from the beginning. */
const maxRuns = 500;

export class Runs {
  readonly #reliable: ParsedReliable;
  readonly #options: ReliableOptions;
  readonly #byId = new Map<string, RunBinding>();

  constructor(reliable: ParsedReliable, options: ReliableOptions) {
    this.#reliable = reliable;
    this.#options = options;
  }

  /** Whether an attempt of the tool may have to end before its call, so that it needs a signal of its own. */
  endsAttempts(toolName: string): boolean {
    return this.#reliable.endsAttempts(toolName);
  }

  /** Whether tools keep their descriptions while their calls are refused. */
  get keepDescriptions(): boolean {
    return this.#reliable.openCircuits === 'as_is';
  }

  /** Begins the run with this id. */
  start(runId: string | undefined, session?: AnySession): RunBinding {
    const binding = { agentRun: this.#reliable.startRun(session), calls: [] };
    if (runId !== undefined) this.#remember(runId, binding);
    return binding;
  }

  /** The run of a call, which begins with its first call. */
  of({ agent, runId }: ToolContext): RunBinding {
    if (!agent || typeof runId !== 'string') return this.start(undefined);
    const known = this.#byId.get(runId);
    if (known) this.#remember(runId, known);
    return known ?? this.start(runId);
  }

  /** Adds a call to the current answer of its run. Resolves with the calls that start together with it, each with those that it waits for. */
  async group(binding: RunBinding, call: ModelCall): Promise<readonly ModelCall[]> {
    if (!this.#options.dependsOn) return [call];
    const { calls } = binding;
    calls.push(call);
    // The framework starts all calls of an answer at once, without reporting their number.
    await new Promise((resolve) => setTimeout(resolve));
    if (binding.calls === calls) binding.calls = [];
    const together = this.#reliable.withDependencies(calls);
    return together.toSorted((one, other) => Number(other.callId === call.callId) - Number(one.callId === call.callId));
  }

  #remember(runId: string, binding: RunBinding): void {
    this.#byId.delete(runId);
    this.#byId.set(runId, binding);
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > maxRuns && oldest !== undefined) this.#byId.delete(oldest);
  }
}
