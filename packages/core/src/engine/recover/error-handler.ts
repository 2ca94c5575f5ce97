/**
 * Owns the Error Handler: a long-lived component beside the executor. It receives every failure, keeps it in an inbox, and answers with a decision
 * (docs/specification.md#s0-6). Does not own the deciding (`decide.ts`) or the execution of decisions (the call machine).
 *
 * Invariants
 * 1. `handle` never throws and never rejects; a memory or advisor that throws is only left out of the decision. Rules are read by the constructor.
 * 2. The inbox is bounded; the oldest notices are dropped first. A listener that throws is removed.
 * 3. Without an advisor the answer is immediate.
 */
import { checkOptions } from '../settings/check-options.ts';
import { checkRule, checkShape, withMethods, type Fields } from '../settings/check.ts';
import { period } from '../settings/fields.ts';
import { callSafely } from '../plain/call-safely.ts';
import type { Mutable } from '../plain/mutable.ts';
import { decide, mayHaveHappened } from './decide.ts';
import type { Decision, DecisionInputs, Strategy } from './decision.ts';
import type { EvidenceSource } from './past-outcomes.ts';
import type { ReadRecoveryRule, RecoveryRule } from './recovery-rules.ts';
import { matchRules, readRecoveryRules, ruleFor } from './recovery-rules.ts';

/** What the executor reports about a failure (docs/specification.md#s1-6-1). */
export interface FailureNotice {
  /** Id of the turn; a single call or a batch has a turn id too. */
  readonly turnId: string;
  /** Id of the call, unique within its turn. */
  readonly callId: string;
  /** Name of the tool in use: the requested one, or an alternative. */
  readonly toolName: string;
  /** The number of the failed attempt; 0 when the call was refused before its first. */
  readonly attempt: number;
  /** Error code, such as `TOOL_TIMEOUT`. */
  readonly code: string;
  /** Redacted. */
  readonly message: string;
  /** The partition of the call, if it has one: then memory, which is common to all partitions, is not asked. */
  readonly partition?: string | undefined;
  /** The live error, if there is one. */
  readonly error?: unknown;
  /** The facts for the decision; the handler adds rules and evidence. */
  readonly facts: DecisionFacts;
}

/** The facts about a failure before recovery rules and memory are consulted. */
export type DecisionFacts = Omit<DecisionInputs, 'recoveryRules' | 'evidence'>;

/** The decision about a failure, and what it was made from. */
export interface HandlerAnswer {
  /** Facts, recovery rules and evidence that the decision was made from. */
  readonly inputs: DecisionInputs;
  /** What is done about the failure. */
  readonly decision: Decision;
  /** `handler`: an advisor's decision was taken; `built_in`: all others. */
  readonly decidedBy: 'built_in' | 'handler';
  /** What failed inside the handler, if anything. */
  readonly faults?: readonly HandlerFault[];
}

/** A part of the error handler that threw; the decision was made without it. */
export interface HandlerFault {
  /** What threw; `handler` is the advisor. */
  readonly component: 'handler' | 'memory' | 'listener';
  /** What it threw. */
  readonly error: unknown;
}

const none: readonly never[] = [];

/**
 * A user's own part in decisions. It receives the notice, the inputs and the built-in decision, and may return another decision, or `undefined` to agree.
 * A decision that the inputs do not allow (a retry of a permanent failure, an unknown alternative) is rejected.
 */
export type Advisor = (
  notice: FailureNotice,
  inputs: DecisionInputs,
  builtIn: Decision,
) => Decision | undefined | PromiseLike<Decision | undefined>;

type FailureListener = (notice: FailureNotice, answer: HandlerAnswer) => void;

/** The options of an error handler; all are optional. */
export interface ErrorHandlerOptions {
  /** Rules that every failure is matched with, in their order. @default [] */
  readonly recoveryRules?: readonly RecoveryRule[];
  /** Evidence for decisions. @default none */
  readonly memory?: EvidenceSource;
  /** May replace a built-in decision within its limits. @default none */
  readonly advisor?: Advisor;
  /** The time limit of the advisor; after it, the built-in decision is used. @default 50 */
  readonly advisorTimeoutMs?: number;
  /** How many notices are kept, with their errors. @default 100 */
  readonly inboxSize?: number;
}

const handlerFields: Fields = {
  recoveryRules: (value, field) => void readRecoveryRules(value, field),
  memory: withMethods('recall'),
  advisor: 'function',
  advisorTimeoutMs: period,
  inboxSize: ['a whole number, 1 or more', 1, Number.MAX_SAFE_INTEGER, true],
};

/** Receives every failure, keeps the latest notices and answers with a decision (docs/specification.md#s0-6). */
export class ErrorHandler {
  /** Rules that every failure is matched with, in their order, as they were read: copied, with lists for single values. */
  readonly recoveryRules: readonly ReadRecoveryRule[];
  /** May replace a built-in decision within its limits; `undefined`: none. */
  readonly advisor: Advisor | undefined;
  /** The time limit of the advisor; after it, the built-in decision is used. */
  readonly advisorTimeoutMs: number;
  readonly #memory: EvidenceSource | undefined;
  readonly #inboxSize: number;
  #inbox: FailureNotice[] = [];
  readonly #listeners = new Set<FailureListener>();
  #last: { readonly inputs: DecisionInputs; readonly decision: Decision } | undefined;

  /** @throws TypeError | RangeError for an option or a rule that cannot be read, naming its path, the value and the fix. */
  constructor(options: ErrorHandlerOptions = {}) {
    checkOptions(handlerFields, options, 'ErrorHandler');
    const { recoveryRules = [], memory, advisor, advisorTimeoutMs = 50, inboxSize = 100 } = options;
    this.recoveryRules = readRecoveryRules(recoveryRules, 'ErrorHandler.recoveryRules');
    this.advisor = advisor;
    this.advisorTimeoutMs = advisorTimeoutMs;
    this.#memory = memory;
    this.#inboxSize = inboxSize;
  }

  /** The latest notices, oldest first. */
  get inbox(): readonly FailureNotice[] {
    return this.#inbox.slice(-this.#inboxSize);
  }

  /** Calls `listener` for every failure, with the built-in decision about it. Returns a function that ends the subscription. */
  subscribe(listener: (notice: FailureNotice, answer: HandlerAnswer) => void): () => void {
    checkRule('function', listener, 'subscribe: listener');
    // An entry of its own for each subscription of the same function.
    const entry: FailureListener = (notice, answer) => listener(notice, answer);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /** Receives a failure and returns the built-in decision. The executor asks the advisor, under a time limit. */
  handle(notice: FailureNotice): HandlerAnswer {
    checkShape({ facts: 'object' }, notice, 'handle: notice');
    this.#keep(notice);
    const faults: HandlerFault[] = [];
    const inputs: DecisionInputs = {
      ...notice.facts,
      recoveryRules: matchRules(this.recoveryRules, notice.facts),
      evidence: this.#recall(notice, faults),
    };
    const answer: Mutable<HandlerAnswer> = { inputs, decision: this.#decide(inputs), decidedBy: 'built_in' };
    if (this.#listeners.size > 0) this.#publish(notice, answer, faults);
    if (faults.length > 0) answer.faults = faults;
    return answer;
  }

  #publish(notice: FailureNotice, answer: HandlerAnswer, faults: HandlerFault[]): void {
    // A listener may subscribe another one.
    const listeners = [...this.#listeners];
    for (const listener of listeners) {
      callSafely(
        // Copies of what is decided: a listener's changes have no effect.
        () => listener(notice, { ...answer, inputs: { ...answer.inputs }, decision: copyOf(answer.decision) }),
        (error) => {
          this.#listeners.delete(listener);
          faults.push({ component: 'listener', error });
        },
      );
    }
  }

  /** A tool that is down fails repeatedly with the same facts: the decision is made once and reused. */
  #decide(inputs: DecisionInputs): Decision {
    const last = this.#last;
    if (last && haveSameFacts(last.inputs, inputs)) return copyOf(last.decision);
    const decision = decide(inputs);
    // Delays differ, so the decision for a retry is never reused.
    if (decision.action !== 'retry') this.#last = { inputs: { ...inputs }, decision: copyOf(decision) };
    return decision;
  }

  #recall({ facts, partition }: FailureNotice, faults: HandlerFault[]): DecisionInputs['evidence'] {
    if (partition) return none;
    try {
      const evidence: unknown = this.#memory?.recall(facts) ?? none;
      if (!Array.isArray(evidence) || evidence.some((entry) => typeof entry !== 'object' || entry === null))
        throw new TypeError('recall must return an array of evidence synchronously.');
      return evidence as DecisionInputs['evidence'];
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

/** Whether two failures are equal in everything that `decide` reads. Lists are equal only when both are empty. */
function haveSameFacts(one: DecisionInputs, other: DecisionInputs): boolean {
  return (
    one.nextDelayMs === other.nextDelayMs &&
    one.classification === other.classification &&
    one.failure === other.failure &&
    one.ambiguous === other.ambiguous &&
    one.effect === other.effect &&
    one.assumedEffect === other.assumedEffect &&
    one.unknownFailures === other.unknownFailures &&
    one.circuit === other.circuit &&
    one.probe === other.probe &&
    one.attempts === other.attempts &&
    one.maxAttempts === other.maxAttempts &&
    one.retryElapsedMs === other.retryElapsedMs &&
    one.maxTotalTimeMs === other.maxTotalTimeMs &&
    one.mayWaitMs === other.mayWaitMs &&
    one.heldMs === other.heldMs &&
    one.probes === other.probes &&
    one.turnTimeLeftMs === other.turnTimeLeftMs &&
    one.retryBudgetLeft === other.retryBudgetLeft &&
    one.turnRetriesLeft === other.turnRetriesLeft &&
    one.partialAvailable === other.partialAvailable &&
    one.acceptPartial === other.acceptPartial &&
    one.fallbackAvailable === other.fallbackAvailable &&
    one.optional === other.optional &&
    one.recoveryRules.length + other.recoveryRules.length + one.evidence.length + other.evidence.length === 0 &&
    one.alternatives.length + other.alternatives.length === 0
  );
}

/** The built-in decision about a failure by rules alone, for a handler that has failed. */
export function decideByRules({ facts }: FailureNotice, rules: readonly ReadRecoveryRule[]): HandlerAnswer {
  const inputs: DecisionInputs = { ...facts, recoveryRules: matchRules(rules, facts), evidence: none };
  return { inputs, decision: decide(inputs), decidedBy: 'built_in' };
}

/** Whether an advisor's decision keeps the limits that no advice may exceed. */
export function mayTake(advice: Decision, inputs: DecisionInputs): boolean {
  switch (advice.action) {
    case 'retry':
      return Number.isFinite(advice.delayMs) && onlyRetry({ ...inputs, nextDelayMs: advice.delayMs ?? 0 }).action === 'retry';
    case 'use_alternative':
      return (
        !mayHaveHappened(inputs) &&
        !isDenied(inputs, 'use_alternative') &&
        inputs.alternatives.some(({ toolName, available }) => available && toolName === advice.alternative)
      );
    case 'use_default':
      return inputs.fallbackAvailable && !isDenied(inputs, 'use_default');
    case 'accept_partial':
      return inputs.partialAvailable && !isDenied(inputs, 'accept_partial');
    case 'skip':
    case 'escalate':
    case 'fail':
      return true;
    default:
      return false;
  }
}

/** The decision if a retry were the only strategy: all limits and settings apply, preferences and memory do not. */
function onlyRetry(inputs: DecisionInputs): Decision {
  const recoveryRules = inputs.recoveryRules.filter(({ effect }) => effect !== 'prefer');
  return decide({ ...inputs, recoveryRules, evidence: [], alternatives: [], acceptPartial: false, fallbackAvailable: false });
}

function isDenied(inputs: DecisionInputs, strategy: Strategy): boolean {
  return ruleFor(inputs.recoveryRules, strategy)?.effect === 'deny';
}
