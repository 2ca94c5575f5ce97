/** Owns what a chart of series shows, apart from the drawing. Pure. */

export type LineForm = 'unbroken' | 'dashed' | 'dotted';

export interface Series {
  readonly id: string;
  readonly word: string;
  /** A custom property of the tokens. */
  readonly fill: string;
  readonly pattern?: 'solid' | 'stripes' | 'cross' | 'dots' | 'outline';
  /** Of a line. @default 'unbroken' */
  readonly line?: LineForm;
  /** `null`: nothing was measured there. */
  readonly values: readonly (number | null)[];
}

/** Each series upon those before it: drawn from the last to the first, every one covers what is not its own. */
export function stacked(series: readonly Series[]): readonly (readonly number[])[] {
  const foot: number[] = [];
  return series.map(({ values }) =>
    values.map((value, index) => {
      const top = (foot[index] ?? 0) + (value ?? 0);
      foot[index] = top;
      return top;
    }),
  );
}

export const total = (values: readonly (number | null)[]): number => values.reduce<number>((all, value) => all + (value ?? 0), 0);

export const isEmpty = (series: readonly Series[]): boolean =>
  series.every(({ values }) => values.every((value) => value === null || value === 0));

/** Rows of the table below a chart: steps in which nothing was are left out. */
export function tableRows(
  at: readonly number[],
  series: readonly Series[],
): readonly { readonly at: number; readonly values: readonly (number | null)[] }[] {
  return at
    .map((second, index) => ({ at: second * 1000, values: series.map(({ values }) => values[index] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .toReversed();
}
