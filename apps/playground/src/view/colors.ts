/** Owns how policies are distinguished: by color and by dash, so that neither is needed alone. */

export interface Look {
  /** A custom property of the page. */
  readonly color: string;
  readonly dash: readonly number[];
}

const looks: readonly Look[] = [
  { color: '--first', dash: [] },
  { color: '--second', dash: [8, 4] },
  { color: '--third', dash: [3, 3] },
  { color: '--fourth', dash: [10, 3, 2, 3] },
];

export const lookOf = (index: number): Look => looks[index % looks.length] as Look;
