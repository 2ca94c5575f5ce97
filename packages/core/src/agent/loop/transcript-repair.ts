/** Owns the record of a transcript repair: rule and path always, values before and after only when payloads are captured. */
import type { Capture } from '../../runtime/drivers/in-process/host-context.ts';
import type { Redactor } from '../../engine/plain/redact.ts';
import { redactedCopy } from '../../engine/plain/redact.ts';
import type { TranscriptChange } from '../../engine/trace/events.ts';

/** Repairs of a transcript, as returned by `@holdfast/wire`. */
export interface TranscriptRepair {
  /** The provider's format. */
  readonly format: string;
  /** Name of the backend whose rules were applied; absent for the default rules of the format. */
  readonly profile?: string | undefined;
  /** The changes in order: the rule, the path, and if known the values before and after. Nothing is recorded when it is empty. */
  readonly changes: readonly {
    readonly rule: string;
    readonly path: string | number | readonly (string | number)[];
    readonly action?: string;
    readonly before?: unknown;
    readonly after?: unknown;
  }[];
}

/** Further changes are only counted. */
const MAX_CHANGES = 100;

/** Maximum characters of a value before or after a change. */
const MAX_VALUE_CHARS = 500;

type ReportedChange = TranscriptRepair['changes'][number];

export function recordedChanges(
  changes: readonly ReportedChange[],
  { capture, redact }: { readonly capture: Capture; readonly redact: Redactor },
): readonly TranscriptChange[] {
  const copy = (side: 'before' | 'after', value: unknown): Partial<TranscriptChange> =>
    capture === 'all' && value !== undefined ? { [side]: redactedCopy(value, { redact, maxChars: MAX_VALUE_CHARS }) } : {};
  return changes.slice(0, MAX_CHANGES).map(({ rule, path, action, before, after }) => ({
    rule: String(rule),
    path: String(path),
    ...(action === undefined ? {} : { action: String(action) }),
    ...copy('before', before),
    ...copy('after', after),
  }));
}
