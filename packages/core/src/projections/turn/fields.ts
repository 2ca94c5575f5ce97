/** Reads fields of events that may come from a damaged or foreign trace: the types promise more than a file can keep. */
import { isRecord } from '../../engine/plain/is-object.ts';

/** Whether a value is an object that is neither null nor an array. */
export { isRecord };

/** A string as it is; `otherwise` for anything else. */
export const text = (value: unknown, otherwise = ''): string => (typeof value === 'string' ? value : otherwise);

/** A point in time, a duration or a count: never negative. */
export const time = (value: unknown, otherwise = 0): number => timeOrNone(value) ?? otherwise;

/** A point in time, a duration or a count; `undefined` for anything else. */
export const timeOrNone = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

/** An array as it is; empty for anything else. */
export const list = <Item>(value: readonly Item[] | undefined): readonly Item[] => (Array.isArray(value) ? value : []);

/** The items that are strings; empty for anything but an array. */
export const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** The items that are records. */
export function records<Item extends object>(value: readonly Item[] | undefined): readonly Item[];
/** The items that are records, of an unknown value. */
export function records(value: unknown): readonly Readonly<Record<string, unknown>>[];
export function records(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A string, number or boolean as a word of a sentence; '' for anything else. */
export const word = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
