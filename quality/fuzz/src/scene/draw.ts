/** Owns the random values of scenes: everything comes from the seed, in the order in which it is requested. */
import { drawAt } from '@holdfast/core/internal';

export interface Draw {
  /** In [0, 1). */
  share(): number;
  chance(share: number): boolean;
  /** An integer, both ends included. */
  whole(min: number, max: number): number;
  one<const Item>(items: readonly Item[]): Item;
  /** Absent with the remaining probability. */
  maybe<Item>(share: number, make: () => Item): Item | undefined;
}

export function createDraw(seed: string): Draw {
  let drawn = 0;
  const share = (): number => drawAt(seed, String((drawn += 1)));
  const drawInteger = (min: number, max: number): number => min + Math.floor(share() * (max - min + 1));
  const chance = (wanted: number): boolean => share() < wanted;
  return {
    share,
    chance,
    whole: drawInteger,
    one: <const Item>(items: readonly Item[]): Item => items[drawInteger(0, items.length - 1)] as Item,
    maybe: (wanted, make) => (chance(wanted) ? make() : undefined),
  };
}

/** Without the fields that were not drawn. */
export function drawnOnly<Fields extends object>(fields: Fields): { [Name in keyof Fields]: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
