/** How charts show the outcomes of calls: order (bottom to top), labels and fills. */
export interface OutcomeAppearance {
  readonly id: 'first_try' | 'recovered' | 'refused' | 'failed' | 'rejected' | 'skipped' | 'cancelled';
  readonly label: string;
  /** A CSS custom property from the design tokens. */
  readonly fill: string;
  /** Distinguishes the outcomes without colours. */
  readonly pattern: 'solid' | 'stripes' | 'cross' | 'dots' | 'outline';
  readonly meaning: string;
  /** Shown only if there are any. */
  readonly rare?: true;
}

export const outcomeAppearances: readonly OutcomeAppearance[] = [
  { id: 'first_try', label: 'first try', fill: '--fill-first-try', pattern: 'solid', meaning: 'succeeded on the first attempt' },
  {
    id: 'recovered',
    label: 'recovered',
    fill: '--fill-recovered',
    pattern: 'stripes',
    meaning: 'succeeded after a retry, or with an alternative or default',
  },
  { id: 'failed', label: 'failed', fill: '--fill-failed', pattern: 'cross', meaning: 'failed in the end' },
  { id: 'refused', label: 'refused', fill: '--fill-refused', pattern: 'dots', meaning: 'failed because Holdfast refused to run it' },
  {
    id: 'rejected',
    label: 'rejected',
    fill: '--fill-rejected',
    pattern: 'dots',
    meaning: 'not run because the request was invalid: bad arguments, unknown tool',
    rare: true,
  },
  {
    id: 'skipped',
    label: 'skipped',
    fill: '--fill-skipped',
    pattern: 'outline',
    meaning: 'not run because a dependency failed',
    rare: true,
  },
  { id: 'cancelled', label: 'cancelled', fill: '--fill-cancelled', pattern: 'stripes', meaning: 'cancelled by the caller', rare: true },
];
