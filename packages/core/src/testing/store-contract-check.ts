/**
 * Owns the assertions of the store contract, which work with any test runner.
 */

/** Throws with `message` when `holds` is false. */
export function check(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Error(`Store contract: ${message}`);
}

/** Throws with both values when they differ as JSON; the order of keys does not matter. */
export function checkEqual(actual: unknown, expected: unknown, message: string): void {
  const difference = differenceOf(actual, expected);
  check(difference === undefined, `${message}${difference ?? ''}`);
}

/** Returns a text with both values if they differ as JSON. */
export function differenceOf(actual: unknown, expected: unknown): string | undefined {
  const [received, wanted] = [canonical(actual), canonical(expected)];
  return received === wanted ? undefined : `\n  expected ${shorten(wanted)}\n  received ${shorten(received)}`;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? String(value);
}

function shorten(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 500)}… (${String(text.length)} characters)`;
}
