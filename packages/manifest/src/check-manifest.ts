/** Owns the refusal of values that are no manifest: a promise, a path, or the result of parsing. */
import { isRecord, refuse } from '@holdfast/core/internal/plain';

/** @throws TypeError that says how to get the manifest */
export function checkManifest(value: unknown, where: string): void {
  if (isRecord(value) && Array.isArray(value['tools'])) return;
  const isResult = isRecord(value) && Array.isArray(value['problems']);
  refuse(
    `${where}: manifest`,
    value,
    isResult ? "the field 'manifest' of this result" : "the field 'manifest' of an awaited loadManifest()",
    '',
  );
}
