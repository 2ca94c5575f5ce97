/** Owns how a tool's name appears in sentences for users. */

let last = { name: '', title: '' };

/** `flight_search` → `flight search`. */
export function toolTitle(name: string): string {
  // Cached: a failing tool is named repeatedly.
  if (last.name !== name) last = { name, title: name.replace(/[_\-.\s]+/g, ' ').trim() || name };
  return last.title;
}

/** `a`, `a and b`, `a, b and c`. */
export function joinWithAnd(items: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} ${conjunction} ${items.at(-1)}`;
}
