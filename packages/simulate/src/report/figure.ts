/** Owns figures over several seeds: their mean, their spread, and their formatting. */

/** A figure over several seeds: its mean, its spread, and how many runs have it. */
export interface Figure {
  /** Mean of the runs that have the figure. */
  readonly mean: number;
  /** Standard deviation over the seeds. */
  readonly spread: number;
  /** How many runs have the figure. */
  readonly runs: number;
}

/** `undefined` when no run has the figure. */
export function figureOf(values: readonly (number | null)[]): Figure | undefined {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return undefined;
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const square = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, spread: known.length > 1 ? Math.sqrt(square / (known.length - 1)) : 0, runs: known.length };
}

/** A share in per cent; 100.0 only when nothing visible is missing. */
export function percent(share: number): string {
  const tenths = share < 1 ? Math.min(999, Math.round(share * 1000)) : 1000;
  return (tenths / 10).toFixed(1);
}

/** Formats milliseconds as `250 ms`, `1.5 s` or `42 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

export const absent = '–';

export function formatFigure(figure: Figure | undefined, write: (value: number) => string): string {
  return figure ? write(figure.mean) : absent;
}

/** With the standard deviation over the seeds, where it is visible. */
export function writtenWithSpread(figure: Figure | undefined, write: (value: number) => string): string {
  if (!figure) return absent;
  const spread = write(figure.spread);
  return Number.parseFloat(spread) === 0 ? write(figure.mean) : `${write(figure.mean)} ±${spread}`;
}
