/** Owns operations on time spans. */

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Sorted, with touching spans merged. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const found: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const last = found.at(-1);
    if (last && span.from <= last.to) found[found.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else found.push(span);
  }
  return found;
}

/** Spans by name; each list is merged. */
export type Spans = ReadonlyMap<string, readonly Span[]>;

export function unionSpans(...all: readonly Spans[]): Spans {
  const found = new Map<string, readonly Span[]>();
  for (const spans of all) for (const [name, own] of spans) found.set(name, mergeSpans([...(found.get(name) ?? []), ...own]));
  return found;
}

/** Whether a span of that name overlaps. Binary search, since the lists are merged. */
export function touches(spans: Spans, name: string, { from, to }: Span): boolean {
  const own = spans.get(name);
  if (!own) return false;
  let low = 0;
  let high = own.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((own[middle] as Span).to < from) low = middle + 1;
    else high = middle;
  }
  const found = own[low];
  return found !== undefined && found.from <= to;
}
