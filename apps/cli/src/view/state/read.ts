/** Reads fields of events that may come from a damaged or foreign trace: the types promise more than a file can keep. */

export const list = <Item>(value: readonly Item[] | undefined): readonly Item[] => (Array.isArray(value) ? value : []);

export const texts = (value: readonly string[] | undefined): readonly string[] =>
  list<unknown>(value).filter((item): item is string => typeof item === 'string');

export const text = (value: unknown, instead = ''): string => (typeof value === 'string' ? value : instead);

export const time = (value: unknown, instead = 0): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : instead;

export const timeOrNone = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The items that are records; the others are damage. */
export const records = <Item extends object>(value: readonly Item[] | undefined): readonly Item[] =>
  list<unknown>(value).filter((item): item is Item => isRecord(item));

/** A single value in a sentence: text, number or yes and no; nothing else has words. */
export const word = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
