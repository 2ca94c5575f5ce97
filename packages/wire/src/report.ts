/**
 * Owns the report of a repair: what was changed, where, why; and what could not be mended.
 *
 * Invariants
 * 1. The path of an edited or removed value is where it stood in the request as given; of an added one, where it stands now.
 * 2. Removed values have no `after`, added ones no `before`. A moved value has the places it came from and went to.
 */
import type { RuleId } from './rules.ts';

/** One thing that a repair did. */
export interface Change {
  /** Which rule asked for it; see the table of rules. */
  readonly rule: RuleId;
  /** Edited, removed and moved: where it stood in the request as given. Added: where it stands in the repaired one. */
  readonly path: string;
  readonly action: 'edited' | 'added' | 'removed' | 'moved';
  /** What stood there; for `moved` the place it came from. Absent for `added`. */
  readonly before?: unknown;
  /** What stands there now; for `moved` the place it went to. Absent for `removed`. */
  readonly after?: unknown;
}

/** Whose fault it is: the transcript's, the model's, the tool definitions', or of state that the provider holds. */
export type FaultKind = 'history' | 'model' | 'definition' | 'state';

/** Something that is wrong with a request or response. */
export interface Problem {
  readonly rule: RuleId;
  readonly kind: FaultKind;
  readonly path: string;
  readonly message: string;
}
