/**
 * Owns how patterns of schemas are run. By default by JavaScript's own engine, on strings for which it is certain to end soon.
 * A program that has a linear-time engine can hand it in.
 */
import { checkRule } from '@holdfast/core/internal/plain';
import { lengthLimit } from '../pattern-limit.ts';
import { stepsFor } from './budget.ts';

/** A pattern that is ready to run. */
export interface SchemaPattern {
  /** How many steps a string takes, where one is about 50 ns; Infinity if the string must not be tried. */
  readonly steps: (text: string) => number;
  /** Whether the pattern matches somewhere in the text. */
  readonly test: (text: string) => boolean;
}

/** Compiles a pattern that JavaScript compiles with the flag `u`; `undefined` if the engine cannot run it. */
export type PatternEngine = (source: string) => SchemaPattern | undefined;

/** What a string of the greatest length takes, where the time grows faster than the length. */
const worst = 20_000;

/** JavaScript's own engine. */
export const nativePatterns: PatternEngine = (source) => {
  checkRule('string', source, 'nativePatterns: source');
  const limit = lengthLimit(source);
  const expression = new RegExp(source, 'u');
  return {
    steps: (text) => (text.length > limit ? Infinity : limit === Infinity ? stepsFor(text) : 1 + worst * (text.length / limit) ** 2),
    test: (text) => expression.test(text),
  };
};
