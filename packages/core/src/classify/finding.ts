/**
 * Owns what one piece of evidence says, and which of several pieces decides.
 *
 * 1. A service's own word and its status outrank all else, the outermost first: an outer status outranks its cause.
 * 2. Otherwise the innermost of the heaviest kind decides: a wrapper knows less than what it wraps.
 * 3. A timeout anywhere outranks an abort: timers abort what they time.
 */
import type { Verdict, Weight } from './verdict.ts';

export interface Finding {
  readonly verdict: Verdict;
  readonly weight: Weight;
  readonly depth: number;
  readonly rule: string;
  readonly code?: string;
  readonly status?: number;
}

const heaviest: readonly Weight[] = ['system', 'text_code', 'rpc', 'name', 'general', 'flag', 'text', 'fallback'];

/** Whether a finding of this weight is decisive enough that messages need not be read for phrases. */
export function isDecisive(finding: Finding | undefined): boolean {
  return finding !== undefined && ['answer', 'status', 'system', 'text_code', 'rpc', 'name', 'general'].includes(finding.weight);
}

/** The finding that decides, if there is any. */
export function weightiest(findings: readonly Finding[]): Finding | undefined {
  return outermostAnswer(findings) ?? innermostOfHeaviest(findings);
}

function outermostAnswer(findings: readonly Finding[]): Finding | undefined {
  let best: Finding | undefined;
  for (const finding of findings) {
    if (finding.weight !== 'answer' && finding.weight !== 'status') continue;
    const isOuter = best === undefined || finding.depth < best.depth;
    if (isOuter || (finding.depth === best?.depth && finding.weight === 'answer' && best.weight === 'status')) best = finding;
  }
  return best;
}

function innermostOfHeaviest(findings: readonly Finding[]): Finding | undefined {
  for (const weight of heaviest) {
    const [first, ...others] = findings.filter((finding) => finding.weight === weight);
    if (first) return others.reduce((inner, other) => (other.depth > inner.depth ? other : inner), first);
  }
  return undefined;
}
