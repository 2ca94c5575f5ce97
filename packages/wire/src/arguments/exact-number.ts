/** Owns whether a number written in decimal keeps its value in JavaScript. */

const form = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** More digits than any number that JavaScript can represent exactly. */
const maxLength = 400;

/** Digits without zeros at both ends, times a power of ten. */
interface Decimal {
  readonly digits: string;
  readonly power: number;
}

function decimalOf(text: string): Decimal | undefined {
  const match = text.length > maxLength ? null : form.exec(text);
  if (!match) return undefined;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  return { digits, power: Number(exponent) - fraction.length + all.length - digits.length };
}

/** Whether the integer part of the number stays as it is, in every notation; fractions may be rounded. */
export function isExact(text: string): boolean {
  const value = Math.abs(Number(text));
  const decimal = decimalOf(text);
  if (!decimal || !Number.isFinite(value)) return false;
  const { digits, power } = decimal;
  if (digits === '') return true;
  const whole = power < 0 ? digits.slice(0, power) : digits;
  const written = BigInt(whole) * 10n ** BigInt(Math.max(0, power));
  return value !== 0 && written === BigInt(Math.trunc(value));
}

/** Whether JavaScript writes the number with the same digits: `6.022e23` is a measurement, and is not meant to be exact. */
export function keepsDigits(text: string): boolean {
  const [given, kept] = [decimalOf(text), decimalOf(String(Number(text)))];
  return given !== undefined && given.digits === kept?.digits && given.power === kept.power;
}
