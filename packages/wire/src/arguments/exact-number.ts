/** Owns whether a number written in decimal keeps its value in JavaScript. */

const parts = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** More digits than any number that JavaScript can represent exactly. */
const maxLength = 400;
/** A number in scientific notation is rounded anyway; it is accepted if it has no more digits than JavaScript writes itself. */
const maxSignificant = 17;

/** Whether the integer part of the number stays as it is; fractions may be rounded. */
export function isExact(text: string): boolean {
  const value = Number(text);
  const match = parts.exec(text);
  if (!match || !Number.isFinite(value) || text.length > maxLength) return false;
  const [, whole = '', fraction = '', exponent] = match;
  if (exponent === undefined) return BigInt(whole) === BigInt(Math.trunc(Math.abs(value)));
  const significant = (whole + fraction).replace(/^0+/, '').replace(/0+$/, '');
  return significant.length <= maxSignificant && (value !== 0 || significant === '');
}
