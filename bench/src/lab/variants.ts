/** Owns Holdfast's own contenders: its profiles, and profiles with a part switched off or on. */
import { holdfast, type Contender } from '@holdfast/simulate';

export function variant(name: string): Contender {
  if (name === 'adaptive' || name === 'spec' || name === 'service') return holdfast({ name, profile: name });
  throw new RangeError(`No policy is named ${name}.`);
}
