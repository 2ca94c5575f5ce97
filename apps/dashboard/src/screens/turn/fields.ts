/** Reads fields of events from a trace that may be damaged or foreign. */
import { fields } from '@holdfast/core/turn-view';
import { visibleText } from '../../ui/visible-text.ts';

export const isRecord: typeof fields.isRecord = fields.isRecord;
export const records: typeof fields.records = fields.records;
export const text: typeof fields.text = fields.text;
export const texts: typeof fields.texts = fields.texts;
export const time: typeof fields.time = fields.time;
export const timeOrNone: typeof fields.timeOrNone = fields.timeOrNone;
export const word: typeof fields.word = fields.word;

/** Makes a message of a tool, a model or a user visible. For display only: names and ids are not changed. */
export const toVisibleText = (value: unknown, fallback = ''): string => visibleText(text(value, fallback));
