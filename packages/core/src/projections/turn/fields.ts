/** Reads fields of events that may come from a damaged or foreign trace, in which they may not have the declared types. */
import { isRecord } from '../../engine/plain/is-object.ts';

/** Whether a value is an object that is neither null nor an array. */
export { isRecord };

/** The value of a JSON text; undefined for any other text. */
export { parseJsonOrUndefined } from '../../engine/plain/parse-json.ts';

/** Returns a string unchanged; `otherwise` for any other value. */
export const text = (value: unknown, otherwise = ''): string => (typeof value === 'string' ? value : otherwise);

/** Returns a point in time, a duration or a count, never negative; `otherwise` for any other value. */
export const time = (value: unknown, otherwise = 0): number => timeOrNone(value) ?? otherwise;

/** Returns a point in time, a duration or a count, never negative; `undefined` for any other value. */
export const timeOrNone = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

/** Returns an array unchanged; an empty one for any other value. */
export const list = <Item>(value: readonly Item[] | undefined): readonly Item[] => (Array.isArray(value) ? value : []);

/** Returns the items that are strings; an empty array for any other value. */
export const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** Returns a record unchanged; an empty one for any other value, arrays included. */
export const record = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

/** Returns the items that are records. */
export function records<Item extends object>(value: readonly Item[] | undefined): readonly Item[];
/** Returns the items of an unknown value that are records. */
export function records(value: unknown): readonly Readonly<Record<string, unknown>>[];
export function records(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Returns a string, number or boolean as a string for use in a sentence; '' for any other value. */
export const word = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
