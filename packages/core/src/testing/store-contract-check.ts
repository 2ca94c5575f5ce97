/**
 * Owns how the store contract compares and complains, so that it runs under any test runner.
 */

/** Throws with `what` when `holds` is false. */
export function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`Store contract: ${what}`);
}

/** Throws with both values when they differ as JSON data; the order of keys does not count. */
export function checkEqual(actual: unknown, expected: unknown, what: string): void {
  const difference = differenceOf(actual, expected);
  check(difference === undefined, `${what}${difference ?? ''}`);
}

/** Both values, where they differ as JSON data. */
export function differenceOf(actual: unknown, expected: unknown): string | undefined {
  const [seen, wanted] = [canonical(actual), canonical(expected)];
  return seen === wanted ? undefined : `\n  expected ${shorten(wanted)}\n  received ${shorten(seen)}`;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? String(value);
}

function shorten(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 500)}… (${String(text.length)} characters)`;
}
