/** Owns what the engine's answers about a turn mean. */
import type { EngineAnswer } from '../engine/bounded-request.ts';
import { engineUnavailable } from '../engine/engine-unavailable.ts';
import type { TurnRecord } from '../turns/turn-record.ts';

export type TurnAnswer =
  | { readonly kind: 'over'; readonly record: TurnRecord }
  | { readonly kind: 'running' }
  | { readonly kind: 'unknown' }
  /** The turn itself failed: it was no turn, or somebody ended it. */
  | { readonly kind: 'failed'; readonly message: string };

const NOT_FOUND = 404;
const NOT_YET = 470;
const TRANSIENT: ReadonlySet<number> = new Set([408, 425, 429]);

interface Complaint {
  readonly message: string;
  readonly source: unknown;
}

export const complaintOf = ({ text, headers }: EngineAnswer): Complaint => {
  const source = headers.get('x-restate-error-source') ?? undefined;
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'message' in body) {
      return { message: String(body.message), source: source ?? ('source' in body ? body.source : undefined) };
    }
  } catch {
    // A proxy's own page, for one.
  }
  return { message: text.slice(0, 300), source };
};

/** Throws where the engine says that it cannot answer. */
export const throwIfUnavailable = (answer: EngineAnswer): void => {
  const { status } = answer;
  if (status < 500 && !TRANSIENT.has(status)) return;
  const { message, source } = complaintOf(answer);
  if (source !== 'invocation') throw engineUnavailable('fault', `Restate cannot answer now (HTTP ${status}): ${message}`);
};

const isTurnRecord = (value: unknown): value is TurnRecord => typeof value === 'object' && value !== null && 'result' in value;

/** A proxy may answer in the engine's place, with its own page. */
const recordOf = (text: string): TurnRecord => {
  try {
    const value: unknown = JSON.parse(text);
    if (isTurnRecord(value)) return value;
  } catch {
    // No JSON either.
  }
  throw engineUnavailable('fault', `What is at ingressUrl does not answer as Restate does (HTTP 200): ${text.slice(0, 300)}`);
};

/** @throws EngineUnavailable when the engine says that it cannot answer. */
export const readAnswer = (answer: EngineAnswer): TurnAnswer => {
  throwIfUnavailable(answer);
  if (answer.status === 200) return { kind: 'over', record: recordOf(answer.text) };
  if (answer.status === NOT_YET) return { kind: 'running' };
  if (answer.status === NOT_FOUND) return { kind: 'unknown' };
  return { kind: 'failed', message: complaintOf(answer).message };
};
