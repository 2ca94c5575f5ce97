/** Owns the drawing of a row of stacked bars. Pure. */

/** One bar: its parts from the bottom up. */
export type Bar = readonly number[];

export interface SparkBox {
  readonly width: number;
  readonly height: number;
  /** Between bars. */
  readonly gap: number;
}

/** Fewer than this do not fill the height: one call is not drawn like a flood. */
const fullHeight = 4;

/** One path for each part, over all bars. A bar that is there is at least one unit high, so that one failure in a thousand is seen. */
export function stackedPaths(bars: readonly Bar[], { width, height, gap }: SparkBox): readonly string[] {
  const parts = Math.max(0, ...bars.map((bar) => bar.length));
  const most = Math.max(fullHeight, ...bars.map(sum));
  const step = bars.length === 0 ? 0 : width / bars.length;
  const paths = Array.from({ length: parts }, () => '');
  bars.forEach((bar, index) => {
    let foot = height;
    heightsOf(bar, height / most, height).forEach((part, at) => {
      if (part === 0) return;
      foot -= part;
      paths[at] += `M${round(index * step + gap / 2)} ${round(foot)}h${round(step - gap)}v${round(part)}h${round(gap - step)}z`;
    });
  });
  return paths;
}

/** What is too small to be seen is made one unit high, at the expense of the highest. */
function heightsOf(bar: Bar, scale: number, height: number): readonly number[] {
  const heights = bar.map((value) => (value > 0 ? Math.max(1, value * scale) : 0));
  const over = sum(heights) - height;
  if (over <= 0) return heights;
  const highest = heights.indexOf(Math.max(...heights));
  return heights.map((value, index) => (index === highest ? Math.max(1, value - over) : value));
}

/** The bars as they are some steps later: what is too old is gone, nothing new has come. */
export function shiftBars(bars: readonly Bar[], steps: number): readonly Bar[] {
  const by = Math.min(Math.max(0, Math.floor(steps)), bars.length);
  if (by === 0) return bars;
  const empty = (bars[0] ?? []).map(() => 0);
  return [...bars.slice(by), ...Array.from({ length: by }, () => empty)];
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const round = (value: number): number => Math.round(value * 100) / 100;
