/** Owns finding names that occur twice in one object of a JSON text: `JSON.parse` silently keeps the last of the values. */

/**
 * Whether an object in a JSON text has a name twice. Takes time linear in the length of the text.
 * @param value what `JSON.parse` returns for the text
 */
export const repeatsName = (text: string, value: unknown): boolean => membersIn(text) !== namesIn(value);

/** The number of members in the objects of a JSON text: each has one colon outside strings. */
function membersIn(text: string): number {
  let members = 0;
  let inside = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === '"') inside = !inside;
    else if (char === '\\') index += 1;
    else if (char === ':' && !inside) members += 1;
  }
  return members;
}

/** The number of names in all objects of a value. */
function namesIn(value: unknown): number {
  let names = 0;
  const pending = [value];
  while (pending.length > 0) {
    const part = pending.pop();
    if (typeof part !== 'object' || part === null) continue;
    if (!Array.isArray(part)) names += Object.keys(part).length;
    for (const inner of Object.values(part) as readonly unknown[]) if (typeof inner === 'object') pending.push(inner);
  }
  return names;
}
