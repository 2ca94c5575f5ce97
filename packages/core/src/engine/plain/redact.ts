/**
 * Owns the removal of secrets from strings and data before they reach a model, a trace or a store.
 *
 * Invariants
 * 1. Redacting twice gives the same as once.
 * 2. Never throws; strings longer than `maxChars` are cut first, so the cost is bounded.
 */
import { readSafely } from './read-safely.ts';
import { headOf } from './truncate.ts';

import { checkOptions } from '../settings/check-options.ts';
import { listOf, refuse, type Fields, type Rule } from '../settings/check.ts';

/** Turns a string into one that is safe to show. */
export type Redactor = (text: string) => string;

/** What is masked besides known forms of secrets, and the maximum length of a string. */
export interface RedactorOptions {
  /** Values that are secret wherever they appear, such as the API keys of a manifest. Those shorter than 4 characters are ignored. */
  readonly secrets?: readonly string[];
  /** Further patterns (regular expression sources); the whole match is replaced. */
  readonly patterns?: readonly string[];
  /** Longer strings are cut and marked. @default 8192 */
  readonly maxChars?: number;
}

const MASK = '[redacted]';
/** Total number of characters that may be scanned again. */
const MAX_RESCANNED_CHARS = 100_000;
/** Characters beyond the limit that are scanned too. */
const OVERLAP = 1_024;

/** Pattern and replacement. Ordered: the specific before the general. Every quantifier is bounded or anchored by a fixed character class. */
const rules: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,8192}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, MASK],
  // Credentials in URLs and connection strings: scheme://user:password@host
  [/\b([a-z][a-z0-9+.-]{1,30}:\/\/)[^\s/@:]{0,256}:[^\s/@]{1,512}@/gi, `$1${MASK}@`],
  // A plain word after the keyword is not a credential: credentials have a digit or a sign, or are long.
  [/\b(Bearer|Basic|Token)\s+(?=[A-Za-z._~+/=-]{0,64}[0-9+/=~_]|[A-Za-z0-9._~+/=-]{24})[A-Za-z0-9._~+/=-]{8,4096}/gi, `$1 ${MASK}`],
  [/(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{4,8192}(?:\.[A-Za-z0-9_-]{0,4096})?/g, MASK],
  [/\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]{1,20}[-_]){0,4}[A-Za-z0-9]{16,256}\b/g, MASK],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, MASK],
  [/\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,255}\b|\bgithub_pat_[A-Za-z0-9_]{20,255}\b|\bglpat-[A-Za-z0-9_-]{16,64}/g, MASK],
  [/\bxox[abeoprs]-[A-Za-z0-9-]{10,255}/g, MASK],
  [/\bAIza[0-9A-Za-z_-]{30,45}/g, MASK],
  [/\b(?:npm_|hf_|whsec_|SG\.)[A-Za-z0-9._-]{16,255}/g, MASK],
  // name=value and "name": "value", also with a prefix such as AWS_SECRET_ACCESS_KEY or db-password
  [
    /(["']?)((?:\b|[_-])(?:[A-Za-z0-9]{1,32}[_-]){0,4}(?:passw(?:or)?d|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key(?:[_-]?id)?|private[_-]?key|client[_-]?secret|authorization|cookie|session[_-]?id))\1(\s{0,4}[=:]\s{0,4})(?!\[redacted\])(?:"[^"\n]{1,1024}"|'[^'\n]{1,1024}'|[^\s"',;&}\]<>]{3,1024})/gi,
    `$1$2$1$3${MASK}`,
  ],
];

/**
 * Card numbers in one piece or in the groups that are printed on cards, by the first digits of their issuers. Not within longer
 * numbers, identifiers, fractions or phone numbers. In one piece 13 digits are more often a barcode.
 */
const cardForm =
  /(?<![\w.+]|\w-)(?=4|5[0-8]|2[2-7]|3[04-9]|6)(?:\d{14,19}|\d{4}([ -])(?:\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{6}\1\d{4,5}|\d{3}\1\d{3}\1\d{3}))(?!\w|[.-]\w)/g;

/** The first digits of issuers, with the lengths of their numbers. */
const cardIssuer =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d|2(?:2[2-9]|[3-6]\d|7[0-2])|35[2-8])\d{13}|3(?:0[0-5]|[689]\d)\d{11}|3[47]\d{13}|(?:6011|64[4-9]\d|(?:50|5[6-8]|6[2357])\d\d)\d{12,15})$/;

/** United States social security numbers: some areas, groups and serial numbers are never given out. */
const socialSecurityNumber = /(?<![\w.+]|\w-)(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?!\w|[.-]\w)/g;

/** Contains a part of each rule: a string that does not match needs none of them, and most strings do not match. */
const suspicious =
  /\d{4}[ -]?\d{3}|\d-\d\d-\d|BEGIN|:\/\/|Bearer|Basic|token|eyJ|[spr]k[-_]|AKIA|ASIA|gh[opsur]_|github_pat_|glpat-|xox|AIza|npm_|hf_|whsec_|SG\.|passw|pwd|passphrase|secret|key|authorization|cookie|session/i;

/** Names of properties whose values are always secret. */
const secretName =
  /(?:passw(?:or)?d|pwd|passphrase|secret|token$|api[_-]?key|access[_-]?key|private[_-]?key|authorization|^cookie$|^set-cookie$|(?:^|_)ssn$|social_?security|card_?number|^cv[vc]2?$)/i;

function maskCard(text: string): string {
  const digits = text.replace(/\D/g, '');
  return cardIssuer.test(digits) && passesLuhn(digits) ? MASK : text;
}

/** The check digit of card numbers: one in ten numbers has it by chance. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]) * (1 + (index % 2));
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

const pattern: Rule = (value, field) => {
  if (typeof value !== 'string' || value === '') refuse(field, value, 'the source of a regular expression', '');
  try {
    RegExp(value as string, 'g');
  } catch (error) {
    refuse(field, value, `the source of a regular expression (${String(error)})`);
  }
};

/** The fields of `RedactorOptions`. Messages never show a secret. */
export const redactorFields: Fields = {
  secrets: (value, field) => {
    if (!Array.isArray(value)) refuse(field, typeof value, 'an array of strings', '');
    for (const [index, secret] of (value as readonly unknown[]).entries())
      if (typeof secret !== 'string') refuse(`${field}[${index}]`, secret, 'a string', '');
  },
  patterns: listOf(pattern, 'an array of regular expression sources'),
  maxChars: ['a number of characters, 1 or more', 1, Infinity],
};

/**
 * Creates a function that masks secrets in a string: known forms of keys and passwords, `secrets` and `patterns`.
 *
 * @throws TypeError | RangeError when an option cannot be read, such as a pattern that is not a regular expression.
 */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  checkOptions(redactorFields, options, 'createRedactor');
  const { secrets = [], patterns = [], maxChars = 8_192 } = options;
  const values = secrets.filter((secret) => secret.length >= 4).toSorted((a, b) => b.length - a.length);
  const extra = patterns.map((pattern) => new RegExp(pattern, 'g'));
  const mask = (text: string): string => {
    let shown = text;
    for (const value of values) shown = shown.replaceAll(value, MASK);
    if (suspicious.test(shown)) {
      for (const [pattern, replacement] of rules) shown = shown.replace(pattern, replacement);
      shown = shown.replace(cardForm, maskCard).replace(socialSecurityNumber, MASK);
    }
    for (const pattern of extra) shown = shown.replace(pattern, MASK);
    return shown;
  };
  const cutOf =
    ({ length }: string) =>
    (shown: string): string => {
      const mark = `… (cut, ${length} characters)`;
      return `${withoutPartialMask(shown.slice(0, Math.max(maxChars - mark.length, 0)))}${mark}`;
    };
  return (text) => {
    // Masked before it is cut, and a little beyond the limit: a secret across the limit must not show its beginning.
    const tooLong = text.length > maxChars + OVERLAP;
    let shown = mask(tooLong ? text.slice(0, maxChars + OVERLAP) : text);
    if (shown === text && text.length <= maxChars) return text;
    const cut = cutOf(text);
    if (tooLong || shown.length > maxChars) shown = cut(shown);
    // A mask or the cut may create text that looks like another secret: repeated until nothing changes.
    for (let pass = 0; pass < maxPasses(shown); pass++) {
      const masked = mask(shown);
      if (masked === shown) break;
      shown = masked.length > maxChars ? cut(masked) : masked;
    }
    return shown;
  };
}

/** Bounds the work for strings crafted to be masked again and again; long ones get fewer passes. */
function maxPasses({ length }: string): number {
  return Math.min(Math.max(Math.floor(MAX_RESCANNED_CHARS / (length + 1)), 1), 50);
}

/** A mask that was cut in two would look like text, and be masked again. */
function withoutPartialMask(text: string): string {
  const begin = text.lastIndexOf('[');
  return begin >= 0 && MASK.startsWith(text.slice(begin)) && !text.endsWith(MASK) ? text.slice(0, begin) : text;
}

/** Limits of a redacted copy. */
export interface RedactedCopyOptions {
  readonly redact: Redactor;
  /** @default 8 */
  readonly maxDepth?: number;
  /** Total number of characters of all strings. @default 4096 */
  readonly maxChars?: number;
}

/** A plain JSON copy of any value without secrets, cut to size. Never throws: a part that cannot be read is replaced by a description. */
export function redactedCopy(value: unknown, { redact, maxDepth = 8, maxChars = 4_096 }: RedactedCopyOptions): unknown {
  let left = maxChars;
  const text = (raw: string): string => {
    const shown = redact(raw.length > left + 256 ? raw.slice(0, left + 256) : raw);
    const kept = shown.length > left ? `${headOf(shown, left)}…` : shown;
    left -= kept.length;
    return kept;
  };
  const copy = (part: unknown, depth: number): unknown => {
    if (part === null || typeof part === 'boolean') return part;
    if (typeof part === 'number') return Number.isFinite(part) ? (redact(String(part)) === MASK ? MASK : part) : String(part);
    if (typeof part === 'string') return text(part);
    if (typeof part !== 'object')
      return part === undefined ? undefined : text(`[${typeof part}${typeof part === 'bigint' ? ` ${part}` : ''}]`);
    if (left <= 0 || depth >= maxDepth) return '…';
    if (ArrayBuffer.isView(part)) return text(`[binary, ${part.byteLength} bytes]`);
    if (Array.isArray(part)) return part.slice(0, 100).map((item) => readSafely(() => copy(item, depth + 1)));
    return fields(part, depth);
  };
  const fields = (part: object, depth: number): unknown => {
    // Not by assignment, so that a field named `__proto__` stays a field.
    const shown: [string, unknown][] = [];
    for (const key of Object.keys(part).slice(0, 100)) {
      if (left <= 0) break;
      left -= key.length;
      const item = readSafely(() => (part as Record<string, unknown>)[key]);
      const secret = secretName.test(key) && item !== null && item !== undefined && typeof item !== 'boolean';
      shown.push([redact(key), secret ? MASK : readSafely(() => copy(item, depth + 1))]);
    }
    return Object.fromEntries(shown);
  };
  return readSafely(() => copy(value, 0));
}
