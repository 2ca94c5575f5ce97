/**
 * Owns where more than its number must be read to know what a status means. Does not own statuses or phrases.
 */
import type { Layer } from './evidence.ts';
import type { Finding } from './finding.ts';
import { headersIn } from './headers.ts';
import { retryHint } from './hint.ts';
import { phrasesOf } from './text-findings.ts';
import * as is from './verdict.ts';
import type { Verdict } from './verdict.ts';

/** Phrases that say what a status really meant. */
const corrections: ReadonlyMap<string, readonly string[]> = new Map([
  ['status:400', ['rate limit', 'quota exhausted', 'quota exceeded', 'session lost', 'too large', 'authentication']],
  ['status:403', ['rate limit', 'quota exhausted', 'quota exceeded', 'authentication']],
  ['status:404', ['session lost']],
  ['status:409', ['contention']],
  ['status:413', ['rate limit']],
  ['status:429', ['quota exhausted']],
]);

const waits: readonly string[] = ['retry-after', 'retry-after-ms'];

/** The finding as message and headers correct it. */
export function refined(finding: Finding, layers: readonly Layer[]): Finding {
  if (finding.weight === 'answer') return finding;
  const rule = finding.status === undefined ? finding.rule : `status:${String(finding.status)}`;
  return byHeaders(byWords({ ...finding }, rule, layers), rule, layers);
}

function byWords(finding: Finding, rule: string, layers: readonly Layer[]): Finding {
  const labels = corrections.get(rule);
  if (!labels) return finding;
  const phrase = layers.flatMap(phrasesOf).find(({ label }) => labels.includes(label));
  if (!phrase) return finding;
  if (rule === 'status:429' && retryHint(layers, 0, true) !== undefined) return finding; // it asks for a wait, so it will pass
  return { ...finding, verdict: phrase.verdict, rule: `${rule}+text:${phrase.label}` };
}

function byHeaders(finding: Finding, rule: string, layers: readonly Layer[]): Finding {
  const opinion = firstHeader(layers, 'x-should-retry');
  if (opinion === 'true' || opinion === 'false')
    return { ...finding, verdict: opinionated(finding.verdict, opinion), rule: `${rule}+header:x-should-retry` };
  if (rule !== 'status:403') return finding;
  const isLimited = hasHeader(layers, waits) || firstHeader(layers, 'x-ratelimit-remaining') === '0';
  return isLimited ? { ...finding, verdict: is.rateLimit, rule: `${rule}+header:rate limit` } : finding;
}

function opinionated(verdict: Verdict, opinion: 'true' | 'false'): Verdict {
  return { ...verdict, classification: opinion === 'true' ? 'transient' : 'permanent' };
}

function firstHeader(layers: readonly Layer[], name: string): string | undefined {
  for (const { carriers } of layers) {
    for (const carrier of carriers) {
      const header = headersIn(carrier)(name);
      if (header !== undefined) return header;
    }
  }
  return undefined;
}

function hasHeader(layers: readonly Layer[], names: readonly string[]): boolean {
  return names.some((name) => firstHeader(layers, name) !== undefined);
}
