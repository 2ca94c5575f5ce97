/**
 * Owns the description of a thrown value, of any kind. Does not own classification.
 *
 * 1. Total and bounded: never throws, and the message is never longer than `messageLimit`.
 */
import { deliverOutput } from '../call/output.ts';
import { headOf } from '../plain/truncate.ts';
import { gather } from './evidence.ts';
import { isMeaningless } from './symbols.ts';
import { read } from './reading.ts';
import { isObject } from '../plain/is-object.ts';

const messageLimit = 4096;
const nameLimit = 80;

const cutTo = (text: string, limit: number): string => (text.length <= limit ? text : `${headOf(text, limit - 1)}…`);

/** Name, message and code of any value that may be thrown or returned as an error. */
export function describeError(error: unknown): { readonly name: string; readonly message: string; readonly code?: string } {
  if (!isObject(error)) return { name: 'Error', message: cutTo(toText(error), messageLimit) };
  const [layer] = gather(error);
  const name = layer?.names[0] ?? 'Error';
  const message = ownMessage(error) ?? layer?.texts[0] ?? layer?.members[0]?.[0]?.texts[0] ?? statusMessage(layer?.statuses[0]) ?? '';
  const code = layer?.codes.find(({ field, value }) => field !== 'type' && !isMeaningless(value))?.value;
  return {
    name: cutTo(name, nameLimit),
    message: cutTo(message || ownData(error) || name, messageLimit),
    ...(code !== undefined && { code: cutTo(String(code), nameLimit) }),
  };
}

function ownMessage(error: object): string | undefined {
  const message = read(error, 'message');
  return typeof message === 'string' && message !== '' ? message : undefined;
}

/** What was thrown in place of an error says what it knows in fields of its own. */
function ownData(error: object): string {
  if (typeof read(error, 'message') === 'string') return '';
  const text = JSON.stringify(deliverOutput(error, messageLimit).output) ?? '';
  return text.length > 2 ? text : '';
}

const statusMessage = (status: number | undefined): string | undefined =>
  status === undefined ? undefined : `HTTP status ${String(status)}`;

/** A primitive or function as text. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'function') return 'a function was thrown';
  return value === undefined ? 'undefined was thrown' : String(value as number | bigint | boolean | symbol | null);
}
