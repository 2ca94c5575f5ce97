/**
 * Owns the report of a repair: what was changed, where, why; and what could not be repaired.
 *
 * Invariants
 * 1. Paths of what was edited, removed or moved are of the request as given; the path of what was added is of the repaired one.
 * 2. Nothing else differs: take out what was removed and moved, do the edits, and what stands in the repaired request besides is
 *    what was added and moved, at the paths that are named.
 */
import type { RuleKind, RuleId } from './rules.ts';

/** One thing that a repair did. */
export interface Change {
  /** Which rule asked for it; see the table of rules. */
  readonly rule: RuleId;
  /** `edited`: a field has another value. The others are about whole parts: blocks, calls, results, messages. */
  readonly action: 'edited' | 'added' | 'removed' | 'moved';
  /** Where it stood in the request as given; for `added` where it stands in the repaired one. */
  readonly path: string;
  /** What stood there; absent when there was nothing. For `moved` the place it came from. */
  readonly before?: unknown;
  /** What stands there now; absent when nothing does. For `moved` the place it went to. */
  readonly after?: unknown;
}

/** Something that is wrong with a request or response. */
export interface RuleViolation {
  /** Id of the broken rule; see the table of rules. */
  readonly rule: RuleId;
  /**
   * Where the fault lies, which decides what helps: the transcript, the answer of the model, the tool definitions, or state that the provider holds.
   */
  readonly kind: RuleKind;
  /** Where in the request or response, such as `messages.3.content`; empty for the whole. */
  readonly path: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
}
