/** Owns which turn ids Restate supports. */

// oxlint-disable-next-line no-control-regex -- control characters are meant
const NUL = /\u0000/;
const LONE_SURROGATE = /\p{Surrogate}/u;

const findingOf = (turnId: unknown): string | undefined => {
  if (typeof turnId !== 'string' || turnId === '') return 'it is not a string with at least one character';
  // URLs resolve these parts, also if they are encoded.
  if (turnId === '.' || turnId === '..') return 'it is a relative path segment';
  if (NUL.test(turnId)) return 'it contains the character NUL';
  return LONE_SURROGATE.test(turnId) ? 'it contains a lone surrogate' : undefined;
};

/** The message for an invalid id: its value, the reason and the fix. */
export const turnIdProblem = (turnId: unknown, field: string = 'turnId'): string | undefined => {
  const finding = findingOf(turnId);
  if (finding === undefined) return undefined;
  return `${field} = ${JSON.stringify(turnId) ?? 'undefined'} is invalid: ${finding}. Give the turn another id, or leave it out.`;
};
