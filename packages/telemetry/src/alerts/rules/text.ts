/** Owns the formats of durations and strings in Prometheus. */

/** `5m`, `1h30m`, `15s`, `250ms`. */
export function duration(milliseconds: number): string {
  const units: readonly (readonly [string, number])[] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
    ['ms', 1],
  ];
  let left = milliseconds;
  let text = '';
  for (const [unit, size] of units) {
    const count = Math.floor(left / size);
    if (count > 0) text += `${count}${unit}`;
    left -= count * size;
  }
  return text === '' ? '0s' : text;
}

/** A string that PromQL and YAML both parse: JSON, with YAML's line breaks escaped too. */
export function quote(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
