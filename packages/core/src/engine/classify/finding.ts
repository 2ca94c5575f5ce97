/**
 * Owns the meaning of one piece of evidence, and which of several decides.
 *
 * 1. A service's own error code and its status outrank everything else, the outermost first: an outer status outranks its cause.
 * 2. Otherwise the innermost finding of the heaviest kind decides: a wrapper knows less than what it wraps.
 * 3. A timeout anywhere outranks an abort: timers abort what they time.
 */
import * as is from './verdict.ts';
import type { Verdict, Weight } from './verdict.ts';

export interface Finding {
  readonly verdict: Verdict;
  readonly weight: Weight;
  readonly depth: number;
  readonly rule: string;
  readonly code: string | undefined;
  readonly status: number | undefined;
}

/** The findings so far. */
export interface Findings {
  best: Finding | undefined;
  /** The first timeout. */
  timeout: Finding | undefined;
}

/** Keeps the finding that weighs more. */
export function weigh(findings: Findings, finding: Finding): void {
  if (finding.verdict.category === 'timeout') findings.timeout ??= finding;
  if (findings.best === undefined || outweighs(finding, findings.best)) findings.best = finding;
}

function outweighs(finding: Finding, other: Finding): boolean {
  const isAnswer = finding.weight <= is.status;
  if (isAnswer !== other.weight <= is.status) return isAnswer;
  if (isAnswer && finding.depth !== other.depth) return finding.depth < other.depth;
  if (finding.weight !== other.weight) return finding.weight < other.weight;
  return finding.depth > other.depth;
}
