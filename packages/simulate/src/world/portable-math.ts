/**
 * Owns a natural logarithm and an exponential function that give the same bits in every JavaScript engine: engines may round `Math.log` and `Math.exp` differently, and
 * one different bit in a world's durations is a different world. Both split off a power of two and evaluate a polynomial of the rest, with an error below one unit in
 * the last place.
 */

const bits = new DataView(new ArrayBuffer(8));

const highWordOf = (value: number): number => {
  bits.setFloat64(0, value);
  return bits.getInt32(0);
};

const withHighWord = (value: number, word: number): number => {
  bits.setFloat64(0, value);
  bits.setInt32(0, word);
  return bits.getFloat64(0);
};

/** The natural logarithm of 2 as a sum: the product of the first part and an exponent is exact. */
const ln2 = { high: 6.931_471_803_691_238_164_90e-1, low: 1.908_214_929_270_587_700_02e-10 };

const mantissaBits = 0x000f_ffff;
const one = 0x3ff0_0000;

/** The natural logarithm. */
export function log(value: number): number {
  if (!(value > 0) || value === Infinity) return value === 0 ? -Infinity : value === Infinity ? value : Number.NaN;
  const subnormal = value < 2.225_073_858_507_201_4e-308;
  const scaled = subnormal ? value * 2 ** 54 : value;
  const word = highWordOf(scaled);
  const mantissa = word & mantissaBits;
  // The rest is between the square root of 1/2 and that of 2.
  const carry = (mantissa + 0x9_5f64) & 0x10_0000;
  const exponent = (word >> 20) - 1023 + (carry >> 20) - (subnormal ? 54 : 0);
  const rest = withHighWord(scaled, mantissa | (carry ^ one)) - 1;
  return exponent * ln2.high - (logOfRest(rest, mantissa, exponent * ln2.low) - rest);
}

/** `rest - log(1 + rest) - carried`. */
function logOfRest(rest: number, mantissa: number, carried: number): number {
  const ratio = rest / (2 + rest);
  const square = ratio * ratio;
  const fourth = square * square;
  const even = fourth * (3.999_999_999_940_941_908e-1 + fourth * (2.222_219_843_214_978_396e-1 + fourth * 1.531_383_769_920_937_332e-1));
  const odd =
    square *
    (6.666_666_666_666_735_13e-1 +
      fourth * (2.857_142_874_366_239_149e-1 + fourth * (1.818_357_216_161_805_012e-1 + fourth * 1.479_819_860_511_658_591e-1)));
  const series = odd + even;
  const nearRoot = (mantissa - 0x6_147a) | (0x6_b851 - mantissa);
  if (nearRoot <= 0) return ratio * (rest - series) - carried;
  const half = 0.5 * rest * rest;
  return half - (ratio * (half + series) + carried);
}

/** The exponential function. */
export function exp(value: number): number {
  if (Number.isNaN(value)) return value;
  if (value > 709.782_712_893_384) return Infinity;
  if (value < -745.133_219_101_941_1) return 0;
  const exponent =
    Math.abs(value) > 0.5 * (ln2.high + ln2.low) ? Math.trunc(1.442_695_040_888_963_387 * value + (value < 0 ? -0.5 : 0.5)) : 0;
  const high = value - exponent * ln2.high;
  const low = exponent * ln2.low;
  const rest = high - low;
  const square = rest * rest;
  const correction =
    rest -
    square *
      (1.666_666_666_666_660_190_37e-1 +
        square *
          (-2.777_777_777_701_559_338_42e-3 +
            square *
              (6.613_756_321_437_934_361_17e-5 + square * (-1.653_390_220_546_525_153_9e-6 + square * 4.138_136_797_057_238_460_39e-8))));
  const power = 1 - (low - (rest * correction) / (2 - correction) - high);
  // A power of two below the smallest normal number is applied in two steps.
  return exponent > -1021
    ? power * 2 ** Math.min(exponent, 1023) * (exponent === 1024 ? 2 : 1)
    : power * 2 ** (exponent + 1000) * 2 ** -1000;
}
