/** Owns the contenders of the ablation and their names. */
import { holdfast, type Contender } from '@holdfast/simulate';
import { parts } from './parts.ts';

export function nameWithout(part: string): string {
  return `adaptive − ${part}`;
}

export function nameWith(part: string): string {
  return `spec + ${part}`;
}

/** Every part removed from `adaptive`, and every part added to `spec`. */
export function ablated(): readonly Contender[] {
  return parts.flatMap(({ name, off, alone }) => [
    holdfast({ name: nameWithout(name), profile: 'adaptive', ...off }),
    ...(alone ? [holdfast({ name: nameWith(name), profile: 'spec', ...alone })] : []),
  ]);
}
