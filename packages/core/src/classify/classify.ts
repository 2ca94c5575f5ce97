/**
 * Owns the order of classification (S0 1.3): the caller's own stop, the manifest's rules, structured evidence, messages,
 * and last: unknown, which is transient.
 *
 * 1. Total: no value makes it throw; every result names its rule.
 * 2. Pure: time is an argument.
 */
import type { Classification } from './classification.ts';
import { decide } from './decide.ts';
import { gather } from './evidence.ts';
import type { Layer } from './evidence.ts';
import type { Finding } from './finding.ts';
import { retryHint } from './hint.ts';
import { matchingRule } from './rules.ts';
import type { CompiledRule } from './rules.ts';
import { emptyCodes } from './system-codes.ts';
import * as is from './verdict.ts';
import type { Verdict } from './verdict.ts';

export interface ClassifyOptions {
  /** Wall clock, in ms: dates and epochs in retry hints are measured from it. */
  readonly nowEpochMs: number;
  /** The tool's own rules, from `compileRules`. @default none */
  readonly overrides?: readonly CompiledRule[];
  /**
   * Whether the caller's own signal had been aborted when the error surfaced. True makes anything neutral; false makes an
   * abort a timeout of the tool's own. @default not known: an abort is taken for the caller's
   */
  readonly callerAborted?: boolean;
}

const unheard: Finding = { verdict: is.unknown, weight: 'fallback', depth: 0, rule: 'unknown' };

/** What an error means (S0 1.3, S1 1.x). Never throws, whatever the error is. */
export function classify(error: unknown, options: ClassifyOptions): Classification {
  const layers = gather(error);
  const finding = byCaller(decide(layers) ?? unheard, options.callerAborted);
  const rule = options.callerAborted === true ? undefined : matchingRule(options.overrides ?? [], layers);
  return described(rule ? overridden(finding, rule) : finding, layers, options.nowEpochMs);
}

/** Whose abort it was. */
function byCaller(finding: Finding, callerAborted: boolean | undefined): Finding {
  if (callerAborted === true)
    return { ...finding, verdict: { ...is.cancelled, ambiguous: finding.verdict.ambiguous }, rule: 'caller:aborted' };
  if (callerAborted === false && finding.verdict.classification === 'neutral')
    return { ...finding, verdict: is.timeout, rule: `${finding.rule}+caller:not aborted` };
  return finding;
}

function overridden(finding: Finding, { source, label }: CompiledRule): Finding {
  const { category, ambiguous } = finding.verdict;
  return {
    ...finding,
    verdict: { classification: source.as, category: source.category ?? category, ambiguous },
    rule: `override:${label}`,
  };
}

function described(finding: Finding, layers: readonly Layer[], nowEpochMs: number): Classification {
  const { verdict, rule } = finding;
  const retryAfterMs =
    verdict.classification === 'transient' ? retryHint(layers, nowEpochMs, verdict.category === 'rate_limit') : undefined;
  const status = finding.status ?? layers.flatMap(({ statuses }) => statuses).find((each) => each >= 400);
  const code = finding.code ?? firstCode(layers);
  return {
    classification: verdict.classification,
    category: verdict.category,
    rule,
    ambiguous: isAmbiguous(verdict, layers),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
  };
}

const beforeSending = /before secure TLS|\bconnect E[A-Z]{4,16}\b|(?:opening|TLS) handshake|while connecting|trying to connect/;

/** Whether the effect may have happened: not where the request cannot have left. */
function isAmbiguous(verdict: Verdict, layers: readonly Layer[]): boolean {
  if (!verdict.ambiguous) return false;
  return !layers.some(({ unsent, texts }) => unsent || texts.some((text) => beforeSending.test(text)));
}

function firstCode(layers: readonly Layer[]): string | undefined {
  for (const { codes } of layers) {
    const code = codes.find(({ field, value }) => field === 'code' && !emptyCodes.has(String(value)));
    if (code) return String(code.value);
  }
  return undefined;
}
