/** Owns the outcomes of calls as charts show them: order, words and fills. From the bottom up. */
export interface OutcomeLook {
  readonly id: 'first_try' | 'recovered' | 'refused' | 'failed' | 'skipped' | 'cancelled';
  readonly word: string;
  /** A custom property of the tokens. */
  readonly fill: string;
  /** Told apart without colours. */
  readonly pattern: 'solid' | 'stripes' | 'cross' | 'dots' | 'outline';
  readonly meaning: string;
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
  { id: 'skipped', word: 'skipped', fill: '--fill-skipped', pattern: 'outline', meaning: 'not run because of what it depends on' },
  { id: 'cancelled', word: 'cancelled', fill: '--fill-cancelled', pattern: 'stripes', meaning: 'given up by the caller' },
];
