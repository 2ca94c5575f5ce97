/** Owns the formatting of durations in messages. */

/** `30s`, `1.5s`, `250ms`: as in `Tool timeout after 30s` (docs/specification.md#s0-4-1). */
export function formatDuration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return 'no limit';
  if (milliseconds < 1_000) return `${Math.round(milliseconds)}ms`;
  return `${Math.round(milliseconds / 100) / 10}s`;
}
