/**
 * Owns the influence of episodic memory on a decision: when evidence is strong, and how it is worded. Does not own collecting it (`../../projections`).
 */
import type { DecisionInputs, StrategyEvidence } from './decision.ts';

/** Where the Error Handler reads how earlier failures of the same kind ended. Episodic memory is one such source. */
export interface EvidenceSource {
  /** Returns what is known about this kind of failure. */
  recall(facts: Pick<DecisionInputs, 'toolName' | 'category' | 'rule'>): readonly StrategyEvidence[];
}

/** Fewer outcomes than this prove nothing. */
const STRONG_EVIDENCE = 10;
/** Retries that helped less often than this are not worth their time. */
const MIN_RETRY_SUCCESS = 0.05;
/** An alternative that helped at least this often, and clearly more often than retries, is preferred. */
const RELIABLE_SUCCESS = 0.8;

/** Every nth decision tries what the evidence advises against. */
const EXPLORE_EVERY = 10;

interface Finding {
  readonly text: string;
  readonly toolName?: string;
}

const rate = ({ tried, succeeded }: StrategyEvidence): number => succeeded / tried;
const strong = ({ tried }: StrategyEvidence): boolean => tried >= STRONG_EVIDENCE;

/** Evidence that retries of this kind of error have practically never helped. */
export function evidenceAgainstRetry(evidence: readonly StrategyEvidence[]): Finding | undefined {
  if (evidence.length === 0) return undefined;
  const retries = evidence.find(({ strategy }) => strategy === 'retry');
  if (!retries || !strong(retries) || rate(retries) >= MIN_RETRY_SUCCESS) return undefined;
  // Otherwise a recovered service would never be noticed.
  if (((retries.withheld ?? 0) + 1) % EXPLORE_EVERY === 0) return undefined;
  return { text: `${retries.succeeded} of ${retries.tried} earlier retries helped` };
}

/** Evidence that an alternative has helped reliably where retries have not. */
export function evidenceForAlternative(evidence: readonly StrategyEvidence[]): (Finding & { readonly toolName: string }) | undefined {
  if (evidence.length === 0) return undefined;
  const retries = evidence.find(({ strategy }) => strategy === 'retry');
  const retryRate = retries && strong(retries) ? rate(retries) : 1;
  const best = evidence
    .filter(
      (entry) =>
        entry.strategy === 'use_alternative' &&
        entry.toolName !== undefined &&
        strong(entry) &&
        rate(entry) >= RELIABLE_SUCCESS &&
        rate(entry) > retryRate + 0.3,
    )
    .toSorted((a, b) => rate(b) - rate(a))[0];
  return best?.toolName === undefined
    ? undefined
    : { text: `${best.toolName} helped in ${best.succeeded} of ${best.tried} earlier failures`, toolName: best.toolName };
}
