/**
 * Owns the meaning of one piece of evidence, and which of several decides.
 *
 * 1. A service's own error code and its status outrank everything else, the outermost first: an outer status outranks its cause.
 * 2. Otherwise the innermost finding of the heaviest kind decides: a wrapper knows less than what it wraps.
 * 3. A timeout anywhere outranks an abort: timers abort what they time.
 * 4. What was invalid, a request or a response, is said by the outermost: the validator inside serves both.
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
  /** Only words say so: those of a message, or of a name that is in no table. */
  readonly byWords: boolean;
}

/** The findings so far. */
export interface Findings {
  best: Finding | undefined;
  /** The first timeout. */
  timeout: Finding | undefined;
  /** More than words shows a transient failure. */
  isShown: boolean;
}

export const noFindings = (): Findings => ({ best: undefined, timeout: undefined, isShown: false });

/** Keeps the finding that weighs more. */
export function weigh(findings: Findings, finding: Finding): void {
  if (finding.verdict.category === 'timeout') findings.timeout ??= finding;
  if (!finding.byWords && finding.verdict.classification === 'transient') findings.isShown = true;
  if (findings.best === undefined || outweighs(finding, findings.best)) findings.best = finding;
}

function outweighs(finding: Finding, other: Finding): boolean {
  const isAnswer = finding.weight <= is.status;
  if (isAnswer !== other.weight <= is.status) return isAnswer;
  if (isAnswer && finding.depth !== other.depth) return finding.depth < other.depth;
  if (isAboutValidity(finding) && isAboutValidity(other) && finding.depth !== other.depth) return finding.depth < other.depth;
  if (finding.weight !== other.weight) return finding.weight < other.weight;
  return finding.depth > other.depth;
}

const isAboutValidity = ({ verdict, weight }: Finding): boolean =>
  /^(?:contract|invalid_input)$/.test(verdict.category) && weight === is.name;
