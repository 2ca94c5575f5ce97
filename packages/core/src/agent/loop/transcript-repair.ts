/** Owns what is reported about a transcript that was repaired: where and by which rule always, from what to what only where payloads are captured. */
import type { Capture } from '../../runtime/drivers/in-process/host-context.ts';
import type { Redactor } from '../../engine/plain/redact.ts';
import { redactedCopy } from '../../engine/plain/redact.ts';
import type { TranscriptChange } from '../../engine/trace/events.ts';

/** What was repaired in a transcript, as `@holdfast/wire` tells it. */
export interface TranscriptRepair {
  /** The provider's format. */
  readonly format: string;
  /** Name of the backend whose rules were applied; absent for the format's own. */
  readonly profile?: string | undefined;
  /** What was changed, in order: the rule, the place, and where known the value before and after. Nothing is recorded when it is empty. */
  readonly changes: readonly {
    readonly rule: string;
    readonly path: string | number | readonly (string | number)[];
    readonly action?: string;
    readonly before?: unknown;
    readonly after?: unknown;
  }[];
}

/** Further changes are counted, not told. */
const TOLD_CHANGES = 100;

/** Characters that are notified of each side of a change. */
const TOLD_CHARS = 500;

type Given = TranscriptRepair['changes'][number];

export function toldChanges(
  changes: readonly Given[],
  { capture, redact }: { readonly capture: Capture; readonly redact: Redactor },
): readonly TranscriptChange[] {
  const copy = (side: 'before' | 'after', value: unknown): Partial<TranscriptChange> =>
    capture === 'all' && value !== undefined ? { [side]: redactedCopy(value, { redact, maxChars: TOLD_CHARS }) } : {};
  return changes.slice(0, TOLD_CHANGES).map(({ rule, path, action, before, after }) => ({
    rule: String(rule),
    path: String(path),
    ...(action === undefined ? {} : { action: String(action) }),
    ...copy('before', before),
    ...copy('after', after),
  }));
}
