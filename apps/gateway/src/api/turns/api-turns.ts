/** Owns the types of the turns of this API: a request, an answer, and the interface of what runs them. Does not own its two implementations. */
import { createHash, randomUUID } from 'node:crypto';
import type { TurnPlan } from '@holdfast/core';
import type { TurnOutcome } from '../../contract.ts';
import { notNow, type Refusal } from '../problem.ts';

export interface TurnRequest {
  readonly plan: TurnPlan;
  readonly idempotencyKey: string | undefined;
  readonly principal: string | undefined;
  /** The start of generated ids. @default none */
  readonly owner?: string | undefined;
  /** Called before a turn that does not exist yet starts. @default it may */
  readonly admit?: (() => { readonly release: () => void; readonly refusal?: undefined } | { readonly refusal: Refusal }) | undefined;
}

/** A plan with a turn id. */
export type NamedPlan = TurnPlan & { readonly turnId: string };

/** The answer about a turn: its report as JSON text, or a refusal. */
export type TurnAnswer =
  | { readonly report: string; readonly outcome: TurnOutcome; readonly summary: string; readonly refusal?: undefined }
  | { readonly refusal: Refusal };

export type TurnStatus =
  | { readonly state: 'running' | 'interrupted' | 'unknown'; readonly refusal?: undefined }
  /** With its report as JSON text. */
  | { readonly state: 'completed'; readonly report: string; readonly refusal?: undefined }
  | { readonly refusal: Refusal };

export interface ApiTurn {
  readonly turnId: string;
  /** Resolves with `undefined` when the turn is running, or with an answer if it need not run. */
  readonly started: Promise<TurnAnswer | undefined>;
  /** Resolves with the answer when the turn has ended. */
  answer(): Promise<TurnAnswer>;
}

/** Runs the turns of this API. */
export interface ApiTurns {
  /** Starts a turn, or joins the turn that the same request has started. `accepting`: whether new turns may start. */
  start(request: TurnRequest, accepting: boolean): ApiTurn | { readonly refusal: Refusal };
  /** Cancels a turn; `undefined` when it cannot be cancelled here, or has ended. */
  cancel(turnId: string): Promise<TurnAnswer | undefined>;
  /** Returns the report with all outputs as JSON text, as long as it is kept. */
  report(turnId: string): Promise<string | undefined>;
  /** Returns the state of a turn that is not in the record, or has no end in it. `unknown`: it is not known here. */
  status(turnId: string): Promise<TurnStatus>;
  /** Ids of the turns that run here, or that a client of this process waits for. */
  ids(): readonly string[];
  /** Waits for the turns within the limit, then stops waiting. */
  drain(limitMs: number): Promise<void>;
}

/** The key under which the answer of a turn is kept. */
export const turnKey = (turnId: string): string => `turn ${turnId}`;

export const draining: Refusal = notNow(503, 'DRAINING', 'The gateway is shutting down and accepts no new work', 5_000);

export const internal: Refusal = { status: 500, error: { code: 'INTERNAL_ERROR', message: 'The report of the turn could not be created' } };

/** Returns the same id for the same request, also after a restart. */
export function turnIdOf({ plan, idempotencyKey, principal = '', owner }: TurnRequest): string {
  if (plan.turnId !== undefined) return plan.turnId;
  const start = owner === undefined ? '' : `${owner}/`;
  if (idempotencyKey === undefined) return `${start}turn-${randomUUID()}`;
  return `${start}turn-${hash(JSON.stringify([principal, idempotencyKey])).slice(0, 32)}`;
}

/** A generated id cannot have been used before. */
export const isNew = ({ plan, idempotencyKey }: TurnRequest): boolean => plan.turnId === undefined && idempotencyKey === undefined;

/** Distinguishes plans. */
export const fingerprintOf = (plan: NamedPlan): string => hash(JSON.stringify(plan));

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

export function answeredTurn(turnId: string, answer: TurnAnswer): ApiTurn {
  const given = Promise.resolve(answer);
  return { turnId, started: given, answer: () => given };
}

export function answerOf(report: string): TurnAnswer {
  const { outcome, summary } = JSON.parse(report) as { readonly outcome: TurnOutcome; readonly summary: string };
  return { report, outcome, summary };
}

export function unrunnable([message = 'The plan cannot be run', ...others]: readonly string[]): TurnAnswer {
  const all = [message, ...others].map((each) => ({ code: 'INVALID_PLAN', message: each }));
  return { refusal: { status: 422, error: { code: 'INVALID_PLAN', message, ...(others.length === 0 ? {} : { problems: all }) } } };
}

export const tooMany = (message: string): Refusal => notNow(429, 'TOO_MANY_TURNS', message);

export function conflict({ plan, idempotencyKey }: TurnRequest, turnId: string): Refusal {
  if (plan.turnId === undefined && idempotencyKey !== undefined) {
    const message = 'This Idempotency-Key was used for another plan';
    return {
      status: 422,
      error: { code: 'IDEMPOTENCY_KEY_REUSED', message, field: 'idempotency-key', hint: 'Use a new key for a different plan.' },
    };
  }
  const message = `A turn '${turnId}' with another plan already exists`;
  return {
    status: 409,
    error: { code: 'TURN_EXISTS', message, field: 'turn_id', hint: 'Use another turn_id for this plan, or omit it.' },
  };
}
