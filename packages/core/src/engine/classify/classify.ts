/**
 * Owns the order of classification (docs/specification.md#s0-1-3): the caller's own abort, the manifest's rules, structured evidence, messages,
 * and finally unknown, which is transient.
 *
 * 1. Total: no error makes it throw; every result names its rule.
 * 2. Pure: time is an argument.
 */
import { checkOptions } from '../settings/check-options.ts';
import { listOf, refuse, type Fields } from '../settings/check.ts';
import type { Classification } from './classification.ts';
import { decide } from './interpret-evidence.ts';
import { gather } from './evidence.ts';
import { groupsOf, type Layer } from './layer.ts';
import { headersOf } from './headers.ts';
import { retryHint } from './hint.ts';
import type { Finding } from './finding.ts';
import { isBeforeSending, isBrokenBehind, tellsMore } from './openings.ts';
import { matchingRule } from './rules.ts';
import type { CompiledRule } from './rules.ts';
import { isMeaningless, numberedEntry } from './symbols.ts';
import * as is from './verdict.ts';
import type { Verdict } from './verdict.ts';

/** What a classification depends on besides the error. */
export interface ClassifyOptions {
  /** Wall clock, in ms: the reference for dates and epochs in retry hints. */
  readonly nowEpochMs: number;
  /** The tool's own rules, from `compileRules`. @default [] */
  readonly overrides?: readonly CompiledRule[];
  /**
   * Whether the caller's own signal had been aborted when the error surfaced. True makes any error neutral; false makes an
   * abort a timeout of the tool's own. @default not known: an abort is attributed to the caller
   */
  readonly callerAborted?: boolean;
}

const classifyFields: Fields = {
  nowEpochMs: (value, field) => {
    if (typeof value !== 'number') refuse(field, value, 'milliseconds since 1970, such as Date.now()', '');
  },
  overrides: listOf((rule, field) => {
    if (!Array.isArray((rule as Partial<CompiledRule> | null)?.statuses)) refuse(field, rule, 'a rule of compileRules(…)', '');
  }, 'an array of rules of compileRules(…)'),
  callerAborted: 'boolean',
};

/**
 * What an error means (docs/specification.md#s0-1-3, #s1-1). Never throws, whatever the error is.
 * @throws TypeError for an invalid option, naming it, its value and the fix.
 */
export function classify(error: unknown, options: ClassifyOptions): Classification {
  checkOptions(classifyFields, options, 'classify', ['nowEpochMs']);
  const { nowEpochMs, overrides, callerAborted } = options;
  const layers = gather(error);
  const finding = decide(layers);
  let { verdict, rule } = meaningOf(finding, layers);
  if (callerAborted === true) {
    verdict = { ...is.cancelled, ambiguous: verdict.ambiguous };
    rule = 'caller:aborted';
  } else {
    if (callerAborted === false && verdict.classification === 'neutral') {
      // "Order cancelled" is not about the call.
      verdict = finding?.byWords === true ? is.unknown : is.timeout;
      rule = finding?.byWords === true ? 'unknown' : `${rule}+caller:not aborted`;
    }
    const own = overrides && matchingRule(overrides, layers);
    if (own) {
      const { as, category = verdict.category } = own.source;
      // Where the rule is the only evidence, "permanent" says that the request was rejected.
      verdict = { classification: as, category, ambiguous: isEvidence(finding) ? verdict.ambiguous : as === 'transient' };
      rule = `override:${own.label}`;
    }
  }
  const { classification, category } = verdict;
  const retryAfterMs = classification === 'transient' ? retryHint(layers, nowEpochMs, category === 'rate_limit') : undefined;
  const status = finding?.status ?? firstStatus(layers);
  const code = finding?.code ?? firstCode(layers);
  return {
    classification,
    category,
    rule,
    ambiguous: isAmbiguous(verdict, finding, layers),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
  };
}

/** A transient failure that only words show keeps their category; its rule says `words`. */
function meaningOf(finding: Finding | undefined, layers: readonly Layer[]): { readonly verdict: Verdict; readonly rule: string } {
  if (finding === undefined) return { verdict: is.unknown, rule: 'unknown' };
  const { verdict, rule, byWords } = finding;
  if (!byWords || verdict.classification !== 'transient' || retryHint(layers, 0, false) !== undefined) return { verdict, rule };
  return { verdict: { ...verdict, ambiguous: true }, rule: rule.replace(/^\w+:/, 'words:') };
}

const isEvidence = (finding: Finding | undefined): boolean =>
  finding !== undefined && !(finding.weight === is.text && finding.verdict.ambiguous);

/** Whether the side effect may have happened: as the runner reports; otherwise unless the failure shows that the request was not carried out. */
function isAmbiguous(verdict: Verdict, finding: Finding | undefined, layers: readonly Layer[]): boolean {
  const reported = layers.find(({ ambiguous }) => ambiguous !== undefined)?.ambiguous;
  if (reported !== undefined && verdict.classification !== 'neutral') return reported;
  // A success beside a failure: the client made up a status for an answer that it cannot use.
  if (finding?.status !== undefined && layers.some(({ statuses }) => statuses.some((status) => status >= 200 && status < 300))) return true;
  // A server that answered was reached: what it writes about connections is about its own.
  const grouped = layers.flatMap(groupsOf);
  if (verdict.classification === 'transient' && [layers, ...grouped].some((group) => isAnsweredWithFailure(finding, group))) return true;
  // Neither a refused reconnection nor a status or code that the client made up shows that nothing had been sent over the connection that broke.
  if (verdict.classification === 'transient' && layers.some((layer) => layer.depth !== finding?.depth && isBroken(layer))) return true;
  // What stands beside a status may be a quote of the server's.
  if (verdict.ambiguous) return finding?.rule.endsWith('+text') || !areUnsent(layers);
  const inner = layers.filter(({ depth }) => depth === finding?.depth);
  return layers.some((layer) => !inner.includes(layer) && isAccount(layer, inner));
}

/** An error without a code of its own, around the one that decided: `Charged 50 EUR, but the receipt failed`, caused by a refused connection. */
const isAccount = ({ codes, texts }: Layer, inner: readonly Layer[]): boolean =>
  codes.length === 0 && texts.some((text) => tellsMore(text) && !inner.some((layer) => layer.texts.includes(text)));

function isAnsweredWithFailure(finding: Finding | undefined, layers: readonly Layer[]): boolean {
  const failures = [finding?.status ?? 0, ...layers.flatMap(({ statuses }) => statuses)].filter((status) => status >= 500);
  if (failures.length === 0) return false;
  // A gateway says 503 of a server that broke off, too.
  return (
    failures.some((status) => numberedEntry('status', status)?.verdict.ambiguous) ||
    (layers.some(({ texts }) => texts.some(isBrokenBehind)) && !layers.some(isUnsent)) ||
    layers.some((layer) => headersOf(layer).has('apigw-requestid'))
  );
}

const brokenCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

const isBroken = (layer: Layer): boolean => !isUnsent(layer) && layer.codes.some(({ value }) => brokenCodes.has(value));

/** What a script says about its last step does not tell about those before. */
const unsentNames =
  /Acquire|Not(?:Connected|Open)|Offline|WaitQueue|ConnectTimeout|ConnectionRefused|ServerSelection|Pool(?:Timeout|Exhausted|Full)|Unambiguous|(?:Broken|Open)Circuit|Circuit(?:Breaker)?(?:Is)?(?:Open|Broken)|CallNotPermitted|Bulkhead(?:Full|Rejected)/;

const isUnsent = ({ unsent, texts, names, isProcess, program, isSigned }: Layer): boolean =>
  unsent === true ||
  names.some((name) => unsentNames.test(name)) ||
  ((!isProcess || program !== undefined || isSigned === true) && texts.some(isBeforeSending));

/** One of the layers shows it, or each error of a group, however deep. */
function areUnsent(layers: readonly Layer[]): boolean {
  const grouped = layers.flatMap(groupsOf);
  return layers.some(isUnsent) || (grouped.length > 0 && grouped.every(areUnsent));
}

const firstStatus = (layers: readonly Layer[]): number | undefined =>
  layers.flatMap(({ statuses }) => statuses).find((status) => status >= 400);

const firstCode = (layers: readonly Layer[]): string | undefined =>
  layers
    .flatMap(({ codes }) => codes)
    .find(({ field, value }) => field === 'code' && !isMeaningless(value))
    ?.value.toString();
