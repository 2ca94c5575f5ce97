/**
 * Owns turning gathered evidence into one finding. Does not own gathering, tables or the weighing of two findings.
 */
import type { ErrorClass } from './classification.ts';
import { structuredFindings } from './code-findings.ts';
import type { Layer } from './evidence.ts';
import { isDecisive, weightiest } from './finding.ts';
import type { Finding } from './finding.ts';
import { refined } from './refine.ts';
import { phraseFindings, phrasesOf, quotedFindings } from './text-findings.ts';
import * as is from './verdict.ts';

/** What the layers of one error say together, or nothing. */
export function decide(layers: readonly Layer[]): Finding | undefined {
  const structured = layers.flatMap((layer) => [...structuredFindings(layer), ...memberFindings(layer)]);
  const first = weightiest(structured);
  if (first?.weight === 'answer' || first?.weight === 'status') return refined(first, layers);
  if (first?.weight === 'system') return (first.code === abortedByTimer && timeoutIn(layers.flatMap(phraseFindings))) || first;
  const quoted = [...structured, ...layers.flatMap(quotedFindings)];
  const second = weightiest(quoted);
  if (second?.verdict.category === 'cancelled') return timeoutIn(quoted) ?? timeoutIn(layers.flatMap(phraseFindings)) ?? second;
  if (isDecisive(second)) return second && refined(second, layers);
  return weightiest([...quoted, ...layers.flatMap(flagFindings), ...layers.flatMap(phraseFindings)]);
}

/** What clients also say when their own timer ended the connection. */
const abortedByTimer = 'ECONNABORTED';

const timeoutIn = (findings: readonly Finding[]): Finding | undefined => findings.find(({ verdict }) => verdict.category === 'timeout');

const preference: readonly ErrorClass[] = ['transient', 'permanent', 'neutral'];

/** Errors side by side: one that may pass makes the whole worth another try. */
function memberFindings(layer: Layer): readonly Finding[] {
  const findings = layer.members.map(decide).filter((finding) => finding !== undefined);
  for (const wanted of preference) {
    const best = weightiest(findings.filter(({ verdict }) => verdict.classification === wanted));
    if (!best) continue;
    const ambiguous = findings.some(({ verdict }) => verdict.ambiguous);
    return [{ ...best, verdict: { ...best.verdict, ambiguous } }];
  }
  return [];
}

/** The client's own opinion decides the class, the message the category. */
function flagFindings(layer: Layer): readonly Finding[] {
  if (layer.retryable === undefined) return [];
  const wanted = layer.retryable ? 'transient' : 'permanent';
  const said = phrasesOf(layer).find(({ verdict }) => verdict.classification === wanted)?.verdict;
  const verdict = said ?? (layer.retryable ? is.unknown : is.refusedForGood);
  return [{ verdict, weight: 'flag', depth: layer.depth, rule: `flag:${layer.retryable ? 'retryable' : 'not retryable'}` }];
}
