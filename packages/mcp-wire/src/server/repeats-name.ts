/** Owns finding names that occur twice in one object of a JSON text. */

/**
 * Whether an object in a JSON text has a name twice: there are more members in the text than names in the value. Takes time linear in the length of the text.
 * @param value what `JSON.parse` returns for the text
 */
export const repeatsName = (text: string, value: unknown): boolean => countMembers(text) !== countNames([value]);

/** Each member has one colon outside strings. */
function countMembers(text: string): number {
  const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '');
  return outside.split(':').length - 1;
}

/** Counts the names in the objects of values. Takes each value from the list and adds the values in it; `most`: stops after so many, and leaves the others in the list. */
export function countNames(pending: unknown[], most: number = Infinity): number {
  let count = 0;
  for (let parts = 0; parts < most && pending.length > 0; parts += 1) {
    const part = pending.pop();
    if (typeof part !== 'object' || part === null) continue;
    const isArray = Array.isArray(part);
    const items = (isArray ? part : Object.values(part)) as readonly unknown[];
    if (!isArray) count += items.length;
    for (const item of items) if (typeof item === 'object') pending.push(item);
  }
  return count;
}
