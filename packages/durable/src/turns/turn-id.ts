/** Owns which turn ids Restate can be asked by. */

// oxlint-disable-next-line no-control-regex -- that is the character
const NUL = /\u0000/;
const LONE_SURROGATE = /\p{Surrogate}/u;

const findingOf = (turnId: unknown): string | undefined => {
  if (typeof turnId !== 'string' || turnId === '') return 'it is no text with a character';
  // Addresses with such a part lead elsewhere, however it is written.
  if (turnId === '.' || turnId === '..') return 'it means a place in an address';
  if (NUL.test(turnId)) return 'it holds the character NUL';
  return LONE_SURROGATE.test(turnId) ? 'it holds half a character (a lone surrogate)' : undefined;
};

/** Says of an id that cannot be used its value, why and the fix. */
export const turnIdProblem = (turnId: unknown, field: string = 'turnId'): string | undefined => {
  const finding = findingOf(turnId);
  if (finding === undefined) return undefined;
  return `${field} = ${JSON.stringify(turnId) ?? 'undefined'} cannot be used: ${finding}. Name the turn otherwise, or leave its id out.`;
};
