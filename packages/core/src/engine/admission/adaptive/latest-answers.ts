/** Owns how many of the latest answers were of one kind, as bits: 1 where an answer was. */
import { numbers } from './numbers.ts';

export function addAnswer(bits: number, isOfKind: boolean): number {
  return ((bits << 1) | (isOfKind ? 1 : 0)) & (2 ** numbers.outcomes - 1);
}

export function countAnswers(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
