/**
 * Owns the Error Handler: a long-lived component beside the executor. It is told of every failure, keeps an inbox of them, and answers a decision (S0 6).
 * Does not own the deciding (`decide.ts`) nor the executing of decisions (the call machine).
 *
 * Invariants
 * 1. `handle` never throws and never rejects; a rule set, memory or advisor that throws costs nothing but itself.
 * 2. The inbox is bounded; the oldest notices go first.
 * 3. Without an advisor the answer is immediate.
 */
import type { EpisodicMemory } from '../memory/episodic-memory.ts';
import { decide } from './decide.ts';
import type { Decision, DecisionInputs, Strategy } from './decision.ts';
import type { PolicyRule } from './policies.ts';
import { matchRules, ruleFor } from './policies.ts';

/** What the executor tells about a failure (S1 6.1). */
export interface FailureNotice {
  readonly turnId: string;
  readonly callId: string;
  readonly toolName: string;
  /** The number of the failed attempt; 0 when the call was refused before its first. */
  readonly attempt: number;
  readonly code: string;
  /** Redacted. */
  readonly message: string;
  /** The live error, where there is one. */
  readonly error?: unknown;
  /** What is known for the decision; rules and evidence are added by the handler. */
  readonly facts: DecisionFacts;
}

export type DecisionFacts = Omit<DecisionInputs, 'policies' | 'evidence'>;

export interface HandlerAnswer {
  readonly inputs: DecisionInputs;
  readonly decision: Decision;
  readonly decidedBy: 'built_in' | 'handler';
  /** What failed inside the handler, if anything. */
  readonly faults?: readonly { readonly component: 'handler' | 'policy' | 'memory'; readonly error: unknown }[];
}

/**
 * A user's own say in decisions. It sees the notice, the inputs and the built-in decision, and may return another decision, or `undefined` to agree.
 * A decision that the inputs do not allow (a retry of a permanent failure, an unknown alternative) is not taken.
 */
export type Advisor = (
  notice: FailureNotice,
  inputs: DecisionInputs,
  builtIn: Decision,
) => Decision | undefined | PromiseLike<Decision | undefined>;

export interface ErrorHandlerOptions {
  readonly policies?: readonly PolicyRule[];
  /** Evidence for decisions. Leave out to decide without. */
  readonly memory?: EpisodicMemory;
  readonly advisor?: Advisor;
  /** An advisor that has not answered by then is not waited for. @default 50 */
  readonly advisorTimeoutMs?: number;
  /** Notices kept. @default 1000 */
  readonly inboxSize?: number;
}

export class ErrorHandler {
  readonly policies: readonly PolicyRule[];
  readonly advisor: Advisor | undefined;
  readonly advisorTimeoutMs: number;
  readonly #memory: EpisodicMemory | undefined;
  readonly #inboxSize: number;
  #inbox: FailureNotice[] = [];

  constructor({ policies = [], memory, advisor, advisorTimeoutMs = 50, inboxSize = 1_000 }: ErrorHandlerOptions = {}) {
    this.policies = policies;
    this.advisor = advisor;
    this.advisorTimeoutMs = advisorTimeoutMs;
    this.#memory = memory;
    this.#inboxSize = inboxSize;
  }

  /** The latest notices, oldest first. */
  get inbox(): readonly FailureNotice[] {
    return this.#inbox.slice(-this.#inboxSize);
  }

  /** Takes notice of a failure and decides with what is built in. An advisor is asked by the executor, under a time limit. */
  handle(notice: FailureNotice): HandlerAnswer {
    this.#keep(notice);
    const faults: { component: 'policy' | 'memory'; error: unknown }[] = [];
    const guarded = <T>(component: 'policy' | 'memory', fallback: T, read: () => T): T => {
      try {
        return read();
      } catch (error) {
        faults.push({ component, error });
        return fallback;
      }
    };
    const policies = guarded('policy', [], () => matchRules(this.policies, notice.facts));
    const evidence = guarded('memory', [], () => this.#memory?.recall(notice.facts) ?? []);
    const inputs: DecisionInputs = { ...notice.facts, policies, evidence };
    return { inputs, decision: decide(inputs), decidedBy: 'built_in', ...(faults.length > 0 ? { faults } : {}) };
  }

  #keep(notice: FailureNotice): void {
    this.#inbox.push(notice);
    if (this.#inbox.length >= this.#inboxSize * 2) this.#inbox = this.#inbox.slice(-this.#inboxSize);
  }
}

/** Whether an advisor's decision keeps the limits that no advice may exceed. */
export function mayTake(advice: Decision, inputs: DecisionInputs): boolean {
  const unsafe = inputs.ambiguous && inputs.effect === 'unsafe';
  switch (advice.action) {
    case 'retry':
      return Number.isFinite(advice.delay_ms) && onlyRetry({ ...inputs, next_delay_ms: advice.delay_ms ?? 0 }).action === 'retry';
    case 'use_alternative':
      return (
        !unsafe &&
        !denied(inputs, 'use_alternative') &&
        inputs.alternatives.some(({ tool_id, available }) => available && tool_id === advice.alternative)
      );
    case 'use_default':
      return inputs.fallback_available && !denied(inputs, 'use_default');
    case 'accept_partial':
      return inputs.partial_available && !denied(inputs, 'accept_partial');
    case 'skip':
    case 'escalate':
    case 'fail':
      return true;
    default:
      return false;
  }
}

/** What would be decided if a retry were all there is: every limit and policy is asked, preference and memory are not. */
function onlyRetry(inputs: DecisionInputs): Decision {
  const policies = inputs.policies.filter(({ effect }) => effect !== 'prefer');
  return decide({ ...inputs, policies, evidence: [], alternatives: [], accept_partial: false, fallback_available: false });
}

function denied(inputs: DecisionInputs, strategy: Strategy): boolean {
  return ruleFor(inputs.policies, strategy)?.effect === 'deny';
}
