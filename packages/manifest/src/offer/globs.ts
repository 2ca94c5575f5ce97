/** Owns matching names with globs: `*` is any number of characters, `?` is one. */
import { arrayRule, checkRule, checkShape } from '@holdfast/core/internal/plain';
import type { OfferEntry } from '../entries/upstream.ts';

/** Whether a source's tool is offered: included and not excluded. */
export function isOffered(name: string, entry: Pick<OfferEntry, 'include' | 'exclude'>): boolean {
  checkRule('string', name, 'isOffered: name');
  checkShape({ include: arrayRule, exclude: arrayRule }, entry, 'isOffered: entry');
  const { include, exclude } = entry;
  return !exclude.some((glob) => matches(name, glob)) && include.some((glob) => matches(name, glob));
}

/** Takes time proportional to the product of both lengths at most. */
function matches(text: string, glob: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let marked = 0;
  while (at < text.length) {
    if (glob[next] === '*') {
      star = next++;
      marked = at;
    } else if (glob[next] === '?' || glob[next] === text[at]) {
      at++;
      next++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++marked;
    } else return false;
  }
  while (glob[next] === '*') next++;
  return next === glob.length;
}
