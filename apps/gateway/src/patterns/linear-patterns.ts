/**
 * Owns running the patterns of servers' schemas in time that is linear in the length of the string. JavaScript's own engine takes years for some of them.
 *
 * Invariant: no string is tried for longer than a few milliseconds; what RE2 cannot run is tried only on strings that are short enough for JavaScript's engine.
 */
import { nativePatterns, type PatternEngine, type SchemaPattern } from '@holdfast/wire';
import { RE2JS } from 're2js';
import { toRe2 } from './to-re2.ts';

export const linearPatterns: PatternEngine = (source) => {
  const own = nativePatterns(source);
  // Patterns without inner choices are linear in JavaScript's engine, too, and it is faster.
  if (own?.steps(probe) !== Infinity) return own;
  return withRe2(source, own);
};

/** Longer than what JavaScript's engine may be given for a pattern whose time grows faster than the length. */
const probe = 'x'.repeat(1_000_001);

function withRe2(source: string, own: SchemaPattern | undefined): SchemaPattern | undefined {
  const pattern = toRe2(source);
  if (!pattern) return own;
  let compiled: RE2JS | undefined;
  return {
    steps: (text) => {
      const size = compiled?.programSize() ?? pattern.size;
      return Math.ceil((text.length * size) / charactersPerStep) + (compiled ? 10 : 1_000 + compileSteps * size);
    },
    test: (text) => (compiled ??= RE2JS.compile(pattern.source)).test(text),
  };
}

/** In bad cases a character takes 12 ns for each instruction of the program, usually far less. */
const charactersPerStep = 4;
/** For each instruction. */
const compileSteps = 20;
