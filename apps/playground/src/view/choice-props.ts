/** What a part of the page reads and changes. */
import type { Problem } from '@holdfast/manifest/lab';
import type { State } from '../state/state.ts';

export interface ChoiceProps {
  readonly state: State;
  readonly change: (changed: Partial<State>) => void;
}

export interface TextChoiceProps extends ChoiceProps {
  readonly problems: readonly Problem[];
}
