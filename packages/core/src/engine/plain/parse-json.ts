/** Owns reading JSON from outside, which may be anything. */

/** The value of a JSON text; undefined for any other text. */
export function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The object or list that a text contains as JSON; any other text, such as a number, unchanged. */
export function parseStructure(text: string): unknown {
  return /^\s*[[{]/.test(text) ? (parseJsonOrUndefined(text) ?? text) : text;
}
