/** The geometry of a small stacked bar chart. */

/** One bar: its parts, bottom to top. */
export type Bar = readonly number[];

export interface SparkBox {
  readonly width: number;
  readonly height: number;
  /** The space between bars. */
  readonly gap: number;
}

/** The minimum value for the full height, so that a single call does not look like heavy traffic. */
const minFullHeight = 4;

/** One path per part, across all bars. Parts above zero are at least one unit high, so that one failure in a thousand is visible. */
export function stackedPaths(bars: readonly Bar[], { width, height, gap }: SparkBox): readonly string[] {
  const parts = Math.max(0, ...bars.map((bar) => bar.length));
  const max = Math.max(minFullHeight, ...bars.map(sum));
  const step = bars.length === 0 ? 0 : width / bars.length;
  const paths = Array.from({ length: parts }, () => '');
  bars.forEach((bar, index) => {
    let bottom = height;
    heightsOf(bar, height / max, height).forEach((part, at) => {
      if (part === 0) return;
      bottom -= part;
      paths[at] += `M${round(index * step + gap / 2)} ${round(bottom)}h${round(step - gap)}v${round(part)}h${round(gap - step)}z`;
    });
  });
  return paths;
}

/** Parts that are too small get one unit, at the expense of the tallest part. */
function heightsOf(bar: Bar, scale: number, height: number): readonly number[] {
  const heights = bar.map((value) => (value > 0 ? Math.max(1, value * scale) : 0));
  const over = sum(heights) - height;
  if (over <= 0) return heights;
  const highest = heights.indexOf(Math.max(...heights));
  return heights.map((value, index) => (index === highest ? Math.max(1, value - over) : value));
}

/** Moves the bars by some steps of time: the oldest drop out, and empty ones are added. */
export function shiftBars(bars: readonly Bar[], steps: number): readonly Bar[] {
  const by = Math.min(Math.max(0, Math.floor(steps)), bars.length);
  if (by === 0) return bars;
  const empty = (bars[0] ?? []).map(() => 0);
  return [...bars.slice(by), ...Array.from({ length: by }, () => empty)];
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const round = (value: number): number => Math.round(value * 100) / 100;
