/** Owns Holdfast's own contenders: its profiles, and profiles with a part switched off or on. */
import { holdfast, type Contender } from '@holdfast/simulate';
import { ablated, type Ablated } from './ablation/contenders.ts';

export function variant(name: string): Contender | Ablated {
  if (name === 'adaptive' || name === 'spec' || name === 'service') return holdfast({ name, profile: name });
  const known = ablated().find((contender) => contender.name === name);
  if (!known) throw new RangeError(`No policy is named ${name}.`);
  return known;
}
