/** Owns the contenders of the ablation and their names. */
import { adaptiveNumbers, varyNumbers } from '@holdfast/core/internal';
import { holdfast, type Contender } from '@holdfast/simulate';
import { parts, type Change } from './parts.ts';

/** A contender that changes numbers of the process it runs in. */
export interface Ablated extends Contender {
  /** Changes the numbers back. */
  readonly restore: () => void;
}

export type NumberName = keyof typeof adaptiveNumbers;

export const numberNames = Object.keys(adaptiveNumbers) as readonly NumberName[];

export function nameWithout(part: string): string {
  return `adaptive − ${part}`;
}

export function nameTimes(name: NumberName, factor: number): string {
  return `adaptive, ${name} × ${factor}`;
}

export const factors: readonly number[] = [0.5, 2];

/** Every part removed from `adaptive`, and half and double of every number. */
export function ablated(): readonly Ablated[] {
  return [
    ...parts.map(({ name, off }) => changed(nameWithout(name), off)),
    ...numberNames.flatMap((name) =>
      factors.map((factor) => changed(nameTimes(name, factor), { numbers: { [name]: adaptiveNumbers[name] * factor } })),
    ),
  ];
}

function changed(name: string, { numbers = {}, ...options }: Change): Ablated {
  const contender = holdfast({ name, profile: 'adaptive', ...options });
  let restore: (() => void) | undefined;
  return {
    ...contender,
    start(run) {
      restore ??= varyNumbers(numbers);
      return contender.start(run);
    },
    restore() {
      restore?.();
      restore = undefined;
    },
  };
}
