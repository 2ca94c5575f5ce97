/** Reads fields of events that may come from a damaged or foreign trace. */
import { fields } from '@holdfast/core/turn-view';
import { visibleText } from '../../ui/visible-text.ts';

export const isRecord: typeof fields.isRecord = fields.isRecord;
export const records: typeof fields.records = fields.records;
export const text: typeof fields.text = fields.text;
export const texts: typeof fields.texts = fields.texts;
export const time: typeof fields.time = fields.time;
export const timeOrNone: typeof fields.timeOrNone = fields.timeOrNone;
export const word: typeof fields.word = fields.word;

/** A message of a tool, a model or a user, made such that all of it is seen. For showing: names and ids stay as they are. */
export const toVisibleText = (value: unknown, otherwise = ''): string => visibleText(text(value, otherwise));
