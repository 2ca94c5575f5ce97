/**
 * Makes any text safe for a terminal: one line, no control sequences, nothing that reorders or hides other text.
 * Tool names, errors and ids are untrusted, so all of them are cleaned before they reach the screen.
 */
import { stripVTControlCharacters } from 'node:util';

const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;
const controls = /\p{Cc}/gu;
/** Bidirectional controls, zero-width spaces, byte order marks, tags. Joiners stay, since emoji need them. */
const invisible = /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;
const loneSurrogates = /\p{Cs}/gu;
/** A combining mark at the start would change the character before it; a stack of marks would cover its neighbours. */
const leadingMarks = /^[\p{M}\u200C\u200D]+/u;
const markStacks = /(\p{M}{4})\p{M}+/gu;

/** Printable ASCII and the view's own glyphs: a fast path for nearly all text. */
const harmless = /^[ -~·×…\u2500-\u257F]*$/u;

export function clean(value: unknown): string {
  const raw = typeof value === 'string' ? value : describe(value);
  if (harmless.test(raw)) return raw;
  return stripVTControlCharacters(raw)
    .replace(lineBreaks, ' ')
    .replace(controls, '')
    .replace(invisible, '')
    .replace(loneSurrogates, '\uFFFD')
    .replace(leadingMarks, '')
    .replace(markStacks, '$1');
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}
