/** The data of a series chart, without the drawing. */

export type LineForm = 'unbroken' | 'dashed' | 'dotted';

export interface Series {
  readonly id: string;
  readonly label: string;
  /** A CSS custom property from the design tokens. */
  readonly fill: string;
  readonly pattern?: 'solid' | 'stripes' | 'cross' | 'dots' | 'outline';
  /** The line style. @default 'unbroken' */
  readonly line?: LineForm;
  /** `null`: no measurement. */
  readonly values: readonly (number | null)[];
}

/** Makes the values cumulative. Drawn from the last series to the first, each one covers the part below it. */
export function stackSeries(series: readonly Series[]): readonly (readonly number[])[] {
  const base: number[] = [];
  return series.map(({ values }) =>
    values.map((value, index) => {
      const top = (base[index] ?? 0) + (value ?? 0);
      base[index] = top;
      return top;
    }),
  );
}

export const total = (values: readonly (number | null)[]): number => values.reduce<number>((all, value) => all + (value ?? 0), 0);

export const isEmpty = (series: readonly Series[]): boolean =>
  series.every(({ values }) => values.every((value) => value === null || value === 0));

/** Rows of the table below a chart, without empty steps. */
export function tableRows(
  at: readonly number[],
  series: readonly Series[],
): readonly { readonly at: number; readonly values: readonly (number | null)[] }[] {
  return at
    .map((second, index) => ({ at: second * 1000, values: series.map(({ values }) => values[index] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .toReversed();
}
