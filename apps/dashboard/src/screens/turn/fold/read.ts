/** Reads fields of events that may come from a damaged or foreign trace: the types promise more than a file can keep. */
import { visibleText } from '../../../ui/visible-text.ts';

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const text = (value: unknown, instead = ''): string => (typeof value === 'string' ? value : instead);

/** A text of a tool, a model or a user, made such that all of it is seen. For showing: names and ids stay as they are. */
export const said = (value: unknown, instead = ''): string => visibleText(text(value, instead));

/** A point or stretch of time, or a count: never negative. */
export const time = (value: unknown, instead = 0): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : instead;

export const timeOrNone = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

export const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

export const records = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** A single value in a sentence: text, number or yes and no; nothing else has words. */
export const word = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
