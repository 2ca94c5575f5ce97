/** Tables with the meaning of each code when it is the only evidence. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import type { Classification } from '../../../src/engine/classify/classification.ts';

/** A verdict, and the codes that mean it, with spaces between. `transient network?`: category network, and the effect may have happened. */
export type Row = readonly [verdict: string, codes: string];

export const of = (error: unknown): Classification => classify(error, { nowEpochMs: 0 });

const verdictOf = (error: unknown): string => {
  const { classification, category, ambiguous } = of(error);
  return `${classification} ${category}${ambiguous ? '?' : ''}`;
};

/** One test per code: alone in an error, it decides, and the rule names it. */
export function meanings(kind: string, rows: readonly Row[], make: (code: string) => unknown): void {
  const cases = rows.flatMap(([verdict, codes]) => codes.split(' ').map((code) => [code, verdict] as const));
  it.each(cases)('%s is %s', (code, verdict) => {
    expect([verdictOf(make(code)), of(make(code)).rule]).toEqual([verdict, `${kind}:${code}`]);
  });
}

export function group(what: string, kind: string, rows: readonly Row[], make: (code: string) => unknown): void {
  describe(what, () => {
    meanings(kind, rows, make);
  });
}
