/** Owns the words of the turns of this API: what asks for one, what it came to, and anyone who runs them. Does not own either way of running them. */
import { createHash, randomUUID } from 'node:crypto';
import type { TurnPlan } from '@holdfast/core';
import type { TurnOutcome } from '../../contract.ts';
import { notNow, type Refusal } from '../problem.ts';

export interface TurnRequest {
  readonly plan: TurnPlan;
  readonly idempotencyKey: string | undefined;
  readonly principal: string | undefined;
}

/** A plan whose turn has its name. */
export type NamedPlan = TurnPlan & { readonly turnId: string };

/** What a turn came to: its report as JSON text, or why there is none. */
export type TurnAnswer =
  | { readonly report: string; readonly outcome: TurnOutcome; readonly summary: string; readonly refusal?: undefined }
  | { readonly refusal: Refusal };

export type Standing =
  | { readonly state: 'running' | 'completed' | 'unknown'; readonly refusal?: undefined }
  | { readonly refusal: Refusal };

export interface ApiTurn {
  readonly turnId: string;
  /** Resolves when it runs, or when there is an answer without running it. */
  readonly begun: Promise<TurnAnswer | undefined>;
  /** What it came to, for anyone who waits. */
  answer(): Promise<TurnAnswer>;
}

/** Anyone who runs the turns of this API. */
export interface ApiTurns {
  /** Begins a turn, or joins the one that was begun by the same request. `accepting`: something new may begin. */
  start(request: TurnRequest, accepting: boolean): ApiTurn | { readonly refusal: Refusal };
  /** Ends a turn early; `undefined` when it cannot be ended here, or has ended. */
  cancel(turnId: string): Promise<TurnAnswer | undefined>;
  /** The report itself, outputs included, as JSON text, for as long as it is kept. */
  report(turnId: string): Promise<string | undefined>;
  /** How a turn stands that the record does not know, or has no end of. */
  standing(turnId: string): Promise<Standing>;
  /** The turns that run here, or that somebody waits for here. */
  ids(): readonly string[];
  /** Lets them end within the limit; then nobody waits for any. */
  drain(limitMs: number): Promise<void>;
}

/** Where the answer of a turn is kept. */
export const turnKey = (turnId: string): string => `turn ${turnId}`;

export const draining: Refusal = notNow(503, 'DRAINING', 'The gateway is being shut down and takes nothing new', 5_000);

export const internal: Refusal = { status: 500, error: { code: 'INTERNAL_ERROR', message: 'The report of the turn could not be made' } };

/** The same request names the same turn, also after a restart. */
export function turnIdOf({ plan, idempotencyKey, principal = '' }: TurnRequest): string {
  if (plan.turnId !== undefined) return plan.turnId;
  if (idempotencyKey === undefined) return `turn-${randomUUID()}`;
  return `turn-${hash(JSON.stringify([principal, idempotencyKey])).slice(0, 32)}`;
}

/** An id of our own making cannot have been used before. */
export const isNew = ({ plan, idempotencyKey }: TurnRequest): boolean => plan.turnId === undefined && idempotencyKey === undefined;

/** Tells two plans apart. */
export const fingerprintOf = (plan: NamedPlan): string => hash(JSON.stringify(plan));

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

export function answeredTurn(turnId: string, answer: TurnAnswer): ApiTurn {
  const given = Promise.resolve(answer);
  return { turnId, begun: given, answer: () => given };
}

export function answerOf(report: string): TurnAnswer {
  const { outcome, summary } = JSON.parse(report) as { readonly outcome: TurnOutcome; readonly summary: string };
  return { report, outcome, summary };
}

export function unrunnable([message = 'The plan cannot be run', ...others]: readonly string[]): TurnAnswer {
  const all = [message, ...others].map((each) => ({ code: 'INVALID_PLAN', message: each }));
  return { refusal: { status: 422, error: { code: 'INVALID_PLAN', message, ...(others.length === 0 ? {} : { problems: all }) } } };
}

export const tooMany = (limit: number): Refusal => notNow(429, 'TOO_MANY_TURNS', `${limit} turns are running; no more run at once`);

export function conflict({ plan, idempotencyKey }: TurnRequest, turnId: string): Refusal {
  if (plan.turnId === undefined && idempotencyKey !== undefined) {
    const message = 'This Idempotency-Key was used for another plan';
    return {
      status: 422,
      error: { code: 'IDEMPOTENCY_KEY_REUSED', message, field: 'idempotency-key', hint: 'Send another key with another plan.' },
    };
  }
  const message = `There is a turn '${turnId}' already, with another plan`;
  return {
    status: 409,
    error: { code: 'TURN_EXISTS', message, field: 'turn_id', hint: 'Give this plan a turn_id of its own, or leave it out.' },
  };
}
