/** Owns the form of a tool's name in sentences for users. */

let last = { name: '', title: '' };

/** `flight_search` → `flight search`. */
export function toolTitle(name: string): string {
  // A failing tool is named again and again.
  if (last.name !== name) last = { name, title: name.replace(/[_\-.\s]+/g, ' ').trim() || name };
  return last.title;
}

/** `a`, `a and b`, `a, b and c`. */
export function joinWithAnd(items: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} ${conjunction} ${items.at(-1)}`;
}
