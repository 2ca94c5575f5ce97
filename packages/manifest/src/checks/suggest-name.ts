/** Owns suggestions among the names in a file. A file may have any number of names, so the work is bounded. */
import { suggest } from '@holdfast/core/internal/plain';

const maxCandidates = 1000;

export function suggestName(word: string, names: readonly string[]): string | undefined {
  return names.length > maxCandidates ? undefined : suggest(word, names);
}
