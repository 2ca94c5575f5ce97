/**
 * Owns the report of a repair: what was changed, where and why, and what could not be repaired.
 *
 * Invariants
 * 1. Paths of edits, removals and moves refer to the original request; paths of additions refer to the repaired one.
 * 2. Nothing else differs: after taking out everything removed or moved and applying the edits, all that remains in the repaired
 *    request is what was added or moved, at the reported paths.
 */
import type { RuleKind, RuleId } from './rules.ts';

/** One change made by a repair. */
export interface Change {
  /** Id of the rule that required the change; see the table of rules. */
  readonly rule: RuleId;
  /** `edited`: a field has a new value. The others refer to whole parts: blocks, calls, results, messages. */
  readonly action: 'edited' | 'added' | 'removed' | 'moved';
  /** Path in the original request; for `added`, in the repaired one. */
  readonly path: string;
  /** The previous value; absent if there was none. For `moved`, the previous path. */
  readonly before?: unknown;
  /** The new value; absent if there is none. For `moved`, the new path. */
  readonly after?: unknown;
}

/** Something that is wrong with a request or response. */
export interface RuleViolation {
  /** Id of the broken rule; see the table of rules. */
  readonly rule: RuleId;
  /**
   * Where the fault is, which determines the remedy: the transcript, the model's answer, the tool definitions, or state held by the provider.
   */
  readonly kind: RuleKind;
  /** Path in the request or response, such as `messages.3.content`; empty for the whole. */
  readonly path: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
}
