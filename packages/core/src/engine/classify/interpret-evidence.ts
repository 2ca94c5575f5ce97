/**
 * Owns turning gathered evidence into one finding. Does not own gathering, the tables or the weighing of two findings.
 */
import { weighEntry, weighStructure } from './code-findings.ts';
import type { Layer } from './layer.ts';
import type { Finding, Findings } from './finding.ts';
import { hasHeaders } from './headers.ts';
import { noFindings, weigh } from './finding.ts';
import { refine } from './refine.ts';
import { phraseIn } from './phrases.ts';
import { weighPhrases, weighQuotes } from './text-findings.ts';
import * as is from './verdict.ts';

/** The verdict on all layers of one error, if any. Message texts are read only when nothing else decides. */
export function decide(layers: readonly Layer[]): Finding | undefined {
  const findings = noFindings();
  const best = bestOf(layers, findings);
  return best?.byWords === true && (findings.isShown || layers.some(isAnswered)) ? { ...best, byWords: false } : best;
}

/** A server wrote the words. */
const isAnswered = ({ statuses, codes, isService, isGrpc }: Layer): boolean =>
  isService || (isGrpc && codes.length > 0) || statuses.some((status) => status >= 400);

function bestOf(layers: readonly Layer[], findings: Findings): Finding | undefined {
  for (const layer of layers) {
    weighStructure(layer, findings, layers);
    if (layer.members.length > 0) weighMembers(layer, findings);
  }
  const first = findings.best;
  if (first && first.weight <= is.status) return connectionBehind(first, layers) ?? refine(first, layers);
  if (first?.weight === is.system) return first.code === abortedByTimer ? (timeoutInWords(layers) ?? first) : first;
  for (const layer of layers) weighQuotes(layer, findings);
  const second = findings.best;
  if (second?.verdict.category === 'cancelled') return findings.timeout ?? timeoutInWords(layers) ?? second;
  if (second?.verdict.category === 'invalid_input' && second.weight === is.name) {
    // An error around that of a validator.
    const around = layers
      .filter(({ depth }) => depth < second.depth)
      .map(({ texts }) => texts.join().slice(0, 100))
      .join();
    if (/\b(?:response|reply|answer|output|result)/i.test(around)) return { ...second, verdict: is.contract };
    if (/\b(?:argument|param|input|request (?:body|schema|valid))/i.test(around)) return { ...second, verdict: is.invalidInput };
  }
  if (second && second.weight <= is.general) return refine(second, layers);
  for (const layer of layers) {
    weighOpinion(layer, findings);
    weighPhrases(layer, findings);
  }
  return findings.best;
}

/** Where no header of a server came with a status, a client may have made it of a failed connection, which the error has as its cause. */
function connectionBehind(first: Finding, layers: readonly Layer[]): Finding | undefined {
  if (first.weight !== is.status || hasHeaders(layers)) return undefined;
  const cause = decide(layers.filter(({ depth }) => depth > first.depth));
  return cause && !cause.byWords && cause.weight > is.status && /network|timeout/.test(cause.verdict.category) ? cause : undefined;
}

/** Messages that clients also use when their own timer ended the connection. */
const abortedByTimer = 'ECONNABORTED';

function timeoutInWords(layers: readonly Layer[]): Finding | undefined {
  const findings = noFindings();
  for (const layer of layers) weighPhrases(layer, findings);
  // The abort shows that it failed; the words only say why.
  return findings.timeout && { ...findings.timeout, byWords: false };
}

/** Grouped errors: if one of them is transient, the whole is worth another try. Of attempts in a row the last decides. Any of them may have had its effect. */
function weighMembers(layer: Layer, findings: Findings): void {
  const all = layer.members.map(decide);
  const ambiguous = all.some((finding) => finding === undefined || finding.verdict.ambiguous);
  for (const wanted of ['transient', 'permanent', 'neutral']) {
    const alike = noFindings();
    for (const finding of layer.isRow ? all.slice(-1) : all) if (finding?.verdict.classification === wanted) weigh(alike, finding);
    if (alike.best === undefined) continue;
    // The words of an error around its issues are its client's.
    const isIssue = alike.best.weight === is.text && wanted === 'permanent';
    return weigh(findings, { ...alike.best, verdict: { ...alike.best.verdict, ambiguous }, ...(isIssue && { weight: is.fallback }) });
  }
}

/** The client's own assessment decides the class, the message the category. */
function weighOpinion(layer: Layer, findings: Findings): void {
  const { retryable, texts } = layer;
  if (retryable === undefined) return;
  const usual = retryable ? is.unknown : is.refusedForGood;
  const verdict = texts.map((text) => phraseIn(text)?.verdict).find((each) => each?.classification === usual.classification) ?? usual;
  weighEntry({ verdict, weight: is.flag }, `flag:${retryable ? '' : 'not '}retryable`, layer, findings);
}
