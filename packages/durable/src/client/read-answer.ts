/** Owns reading the engine's responses about a turn. */
import { fieldsOf, parseJsonOrUndefined } from '@holdfast/core/internal/plain';
import type { EngineAnswer } from '../engine/bounded-request.ts';
import { engineUnavailable } from '../engine/engine-unavailable.ts';
import type { TurnRecord } from '../turns/turn-record.ts';

export type TurnAnswer =
  | { readonly kind: 'over'; readonly record: TurnRecord }
  | { readonly kind: 'running' }
  | { readonly kind: 'unknown' }
  /** The turn itself failed: the request was no turn, or the turn was ended from outside. */
  | { readonly kind: 'failed'; readonly message: string };

const NOT_FOUND = 404;
const NOT_YET = 470;
const TRANSIENT: ReadonlySet<number> = new Set([408, 425, 429]);

interface EngineError {
  readonly message: string;
  readonly source: unknown;
}

export const readError = ({ text, headers }: EngineAnswer): EngineError => {
  const source = headers.get('x-restate-error-source') ?? undefined;
  // A proxy may respond instead of the engine, with a page of its own.
  const { message, source: ownSource } = fieldsOf(parseJsonOrUndefined(text));
  if (typeof message === 'string') return { message, source: source ?? ownSource };
  return { message: text.slice(0, 300), source };
};

/** Throws if the engine reports that it is unavailable. */
export const throwIfUnavailable = (answer: EngineAnswer): void => {
  const { status } = answer;
  if (status < 500 && !TRANSIENT.has(status)) return;
  const { message, source } = readError(answer);
  if (source !== 'invocation') throw engineUnavailable('fault', `Restate is not available (HTTP ${status}): ${message}`);
};

const isTurnRecord = (value: unknown): value is TurnRecord => typeof value === 'object' && value !== null && 'result' in value;

/** A proxy may respond instead of the engine, with a page of its own. */
const recordOf = (text: string): TurnRecord => {
  const value = parseJsonOrUndefined(text);
  if (isTurnRecord(value)) return value;
  throw engineUnavailable('fault', `The server at ingressUrl is not Restate (HTTP 200): ${text.slice(0, 300)}`);
};

/** @throws EngineUnavailable if the engine reports that it is unavailable. */
export const readAnswer = (answer: EngineAnswer): TurnAnswer => {
  throwIfUnavailable(answer);
  if (answer.status === 200) return { kind: 'over', record: recordOf(answer.text) };
  if (answer.status === NOT_YET) return { kind: 'running' };
  if (answer.status === NOT_FOUND) return { kind: 'unknown' };
  return { kind: 'failed', message: readError(answer).message };
};
