/** Owns the outcomes of calls as charts show them: order, words and fills. From the bottom up. */
export interface OutcomeLook {
  readonly id: 'first_try' | 'recovered' | 'refused' | 'failed' | 'rejected' | 'skipped' | 'cancelled';
  readonly word: string;
  /** A custom property of the tokens. */
  readonly fill: string;
  /** Told apart without colours. */
  readonly pattern: 'solid' | 'stripes' | 'cross' | 'dots' | 'outline';
  readonly meaning: string;
  /** Rare: said only where there is some. */
  readonly rare?: true;
}

export const outcomeLooks: readonly OutcomeLook[] = [
  { id: 'first_try', word: 'first try', fill: '--fill-first-try', pattern: 'solid', meaning: 'succeeded at the first attempt' },
  {
    id: 'recovered',
    word: 'recovered',
    fill: '--fill-recovered',
    pattern: 'stripes',
    meaning: 'succeeded after a retry, by an alternative or by a default',
  },
  { id: 'failed', word: 'failed', fill: '--fill-failed', pattern: 'cross', meaning: 'failed in the end' },
  { id: 'refused', word: 'refused', fill: '--fill-refused', pattern: 'dots', meaning: 'failed because Holdfast did not let it through' },
  {
    id: 'rejected',
    word: 'rejected',
    fill: '--fill-rejected',
    pattern: 'dots',
    meaning: 'not run because the request was at fault: wrong arguments, no such tool',
    rare: true,
  },
  {
    id: 'skipped',
    word: 'skipped',
    fill: '--fill-skipped',
    pattern: 'outline',
    meaning: 'not run because of what it depends on',
    rare: true,
  },
  { id: 'cancelled', word: 'cancelled', fill: '--fill-cancelled', pattern: 'stripes', meaning: 'given up by the caller', rare: true },
];
