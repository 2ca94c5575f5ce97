/** Owns Go's output formats for what an Alertmanager sends: JSON, times, label sets. */

/** The characters that Go's encoder escapes. */
const hidden: Readonly<Record<string, string>> = {
  '<': String.raw`\u003c`,
  '>': String.raw`\u003e`,
  '&': String.raw`\u0026`,
  '\u2028': String.raw`\u2028`,
  '\u2029': String.raw`\u2029`,
};

/** One line with a line break, as Go's encoder writes it. */
export function goJson(value: unknown): string {
  return `${JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, (found) => hidden[found] ?? found)}\n`;
}

/** Maps are printed in the order of their keys. */
export function sortedLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).toSorted(([one], [other]) => byBytes(one, other)));
}

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Trailing zeros of the fraction are left out. */
export const goTime = (epochMs: number): string => new Date(epochMs).toISOString().replace(/\.?0*Z$/, 'Z');

/** Go's zero time: no time. */
export const noTime = '0001-01-01T00:00:00Z';

/** `{alertname="X", tool="search"}` */
export function labelSet(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(sortedLabels(labels)).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `{${pairs.join(', ')}}`;
}
