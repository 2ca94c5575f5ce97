/**
 * Owns the Error Handler: a long-lived component beside the executor. It is told of every failure, keeps an inbox of them, and answers a decision (S0 6).
 * Does not own the deciding (`decide.ts`) nor the executing of decisions (the call machine).
 *
 * Invariants
 * 1. `handle` never throws and never rejects; a rule set, memory or advisor that throws costs nothing but itself.
 * 2. The inbox is bounded; the oldest notices go first.
 * 3. Without an advisor the answer is immediate.
 */
import type { Mutable } from '../plain/mutable.ts';
import { decide } from './decide.ts';
import type { Decision, DecisionInputs, Strategy } from './decision.ts';
import type { EvidenceSource } from './past-outcomes.ts';
import type { PolicyRule } from './recovery-rules.ts';
import { matchRules, ruleFor } from './recovery-rules.ts';

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
  readonly faults?: readonly HandlerFault[];
}

export interface HandlerFault {
  readonly component: 'handler' | 'policy' | 'memory';
  readonly error: unknown;
}

const none: readonly never[] = [];

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
  readonly memory?: EvidenceSource;
  readonly advisor?: Advisor;
  /** An advisor that has not answered by then is not waited for. @default 50 */
  readonly advisorTimeoutMs?: number;
  /** Notices kept, their errors with them. @default 100 */
  readonly inboxSize?: number;
}

export class ErrorHandler {
  readonly policies: readonly PolicyRule[];
  readonly advisor: Advisor | undefined;
  readonly advisorTimeoutMs: number;
  readonly #memory: EvidenceSource | undefined;
  readonly #inboxSize: number;
  #inbox: FailureNotice[] = [];
  #last: { readonly inputs: DecisionInputs; readonly decision: Decision } | undefined;

  constructor({ policies = [], memory, advisor, advisorTimeoutMs = 50, inboxSize = 100 }: ErrorHandlerOptions = {}) {
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
    const faults: HandlerFault[] = [];
    const inputs: DecisionInputs = { ...notice.facts, policies: this.#matchRules(notice, faults), evidence: this.#recall(notice, faults) };
    const answer: Mutable<HandlerAnswer> = { inputs, decision: this.#decide(inputs), decidedBy: 'built_in' };
    if (faults.length > 0) answer.faults = faults;
    return answer;
  }

  /** A tool that is down is asked for again and again: the same facts are decided once. What is remembered is nobody else's. */
  #decide(inputs: DecisionInputs): Decision {
    const last = this.#last;
    if (last && sayTheSame(last.inputs, inputs)) return copyOf(last.decision);
    const decision = decide(inputs);
    // Delays differ, so a retry is never decided twice.
    if (decision.action !== 'retry') this.#last = { inputs: { ...inputs }, decision: copyOf(decision) };
    return decision;
  }

  #matchRules({ facts }: FailureNotice, faults: HandlerFault[]): DecisionInputs['policies'] {
    if (this.policies.length === 0) return none;
    try {
      return matchRules(this.policies, facts);
    } catch (error) {
      faults.push({ component: 'policy', error });
      return none;
    }
  }

  #recall({ facts }: FailureNotice, faults: HandlerFault[]): DecisionInputs['evidence'] {
    try {
      return this.#memory?.recall(facts) ?? none;
    } catch (error) {
      faults.push({ component: 'memory', error });
      return none;
    }
  }

  #keep(notice: FailureNotice): void {
    this.#inbox.push(notice);
    if (this.#inbox.length >= this.#inboxSize * 2) this.#inbox = this.#inbox.slice(-this.#inboxSize);
  }
}

function copyOf(decision: Decision): Decision {
  return { ...decision, guards: decision.guards.map((guard) => ({ ...guard })) };
}

/** Whether two failures are alike in everything that `decide` looks at. Lists are alike only when both are empty. */
function sayTheSame(one: DecisionInputs, other: DecisionInputs): boolean {
  return (
    one.next_delay_ms === other.next_delay_ms &&
    one.tool_id === other.tool_id &&
    one.classification === other.classification &&
    one.failure === other.failure &&
    one.ambiguous === other.ambiguous &&
    one.effect === other.effect &&
    one.circuit_breaker_state === other.circuit_breaker_state &&
    one.probe === other.probe &&
    one.attempts === other.attempts &&
    one.max_attempts === other.max_attempts &&
    one.retry_elapsed_ms === other.retry_elapsed_ms &&
    one.max_total_time_ms === other.max_total_time_ms &&
    one.may_wait_ms === other.may_wait_ms &&
    one.held_ms === other.held_ms &&
    one.probes === other.probes &&
    one.turn_time_left_ms === other.turn_time_left_ms &&
    one.retry_budget_left === other.retry_budget_left &&
    one.turn_retries_left === other.turn_retries_left &&
    one.partial_available === other.partial_available &&
    one.accept_partial === other.accept_partial &&
    one.fallback_available === other.fallback_available &&
    one.optional === other.optional &&
    one.policies.length + other.policies.length + one.evidence.length + other.evidence.length === 0 &&
    one.alternatives.length + other.alternatives.length === 0
  );
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
