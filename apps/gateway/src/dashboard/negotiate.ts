/** Owns which variant of a file a client is given, and whether it has it already. */
import type { FileEncoding } from './files.ts';

/** The smallest first. */
const preferred: readonly FileEncoding[] = ['br', 'gzip'];

export function encodingFor(accept: string | null, variants: { has(encoding: FileEncoding): boolean }): FileEncoding {
  const weights = new Map((accept ?? '').split(',').map(readCoding));
  const weightOf = (encoding: FileEncoding): number => weights.get(encoding) ?? weights.get('*') ?? 0;
  const offered = preferred.filter((encoding) => variants.has(encoding) && weightOf(encoding) > 0);
  return offered.toSorted((one, other) => weightOf(other) - weightOf(one))[0] ?? 'identity';
}

function readCoding(text: string): readonly [string, number] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return [name, Number.isFinite(weight) ? weight : 0];
}

/** RFC 9110: compared without regard to weakness. */
export function isFresh(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  const known = ifNoneMatch.split(',').map((text) => text.trim().replace(/^W\//, ''));
  return known.includes(tag) || known.includes('*');
}
