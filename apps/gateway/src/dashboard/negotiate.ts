/** Owns which variant of a file a client gets, and whether the client has it already. */
import { readWeighted, type Weighted } from '../http/weighted.ts';
import type { FileEncoding } from './files.ts';

/** The smallest encoding first. */
const preferred: readonly FileEncoding[] = ['br', 'gzip'];

export function encodingFor(accept: string | null, variants: { has(encoding: FileEncoding): boolean }): FileEncoding {
  const weights = new Map((accept ?? '').split(',').map((text) => weightByName(readWeighted(text))));
  const weightOf = (encoding: FileEncoding): number => weights.get(encoding) ?? weights.get('*') ?? 0;
  const offered = preferred.filter((encoding) => variants.has(encoding) && weightOf(encoding) > 0);
  return offered.toSorted((one, other) => weightOf(other) - weightOf(one))[0] ?? 'identity';
}

const weightByName = ({ name, weight }: Weighted): readonly [string, number] => [name, weight];

/** Weak comparison, as in RFC 9110. */
export function isFresh(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  const known = ifNoneMatch.split(',').map((text) => text.trim().replace(/^W\//, ''));
  return known.includes(tag) || known.includes('*');
}
