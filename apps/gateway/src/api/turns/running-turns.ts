/**
 * Owns the turns of this API from their request to their answer.
 *
 * Invariants
 * 1. Of one turn id there is one run at a time, and none once it is recorded: asking again is answered with what there is.
 * 2. A turn goes on when nobody waits for it any more; only `cancel` and the end of a drain end it early.
 * 3. Never more of them at once than the limit.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Store, TurnPlan } from '@holdfast/core';
import type { TurnOutcome, TurnState } from '../../contract.ts';
import type { Announce } from '../../operation/announcement.ts';
import type { ApiLimits, ApiService } from '../parts.ts';
import { notNow, type Refusal } from '../problem.ts';
import { findTurn } from './find-turn.ts';
import type { KeptAnswers } from './kept-answers.ts';
import { reportText } from './report-text.ts';
import { isRecordOf, tracedReport } from './traced-report.ts';
import type { TurnLogs } from './turn-logs.ts';

export interface TurnRequest {
  readonly plan: TurnPlan;
  readonly idempotencyKey: string | undefined;
  readonly principal: string | undefined;
}

/** What a turn came to: its report as JSON text, or why there is none. */
export type TurnAnswer =
  | { readonly report: string; readonly outcome: TurnOutcome; readonly summary: string; readonly refusal?: undefined }
  | { readonly refusal: Refusal };

export interface ApiTurn {
  readonly turnId: string;
  readonly startedAt: number;
  /** Resolves when it runs, or when there is an answer without running it. */
  readonly begun: Promise<TurnAnswer | undefined>;
  readonly answered: Promise<TurnAnswer>;
  readonly cancel: () => void;
}

interface RunningTurn extends ApiTurn {
  readonly fingerprint: string;
}

export interface RunningTurnsOptions {
  readonly service: Pick<ApiService, 'executeTurn'>;
  readonly history: Store;
  readonly logs: TurnLogs;
  readonly answers: KeptAnswers;
  readonly limits: Pick<ApiLimits, 'runningTurns' | 'answerChars'>;
  readonly announce?: Announce | undefined;
}

export class RunningTurns {
  readonly #options: RunningTurnsOptions;
  readonly #turns = new Map<string, RunningTurn>();

  constructor(options: RunningTurnsOptions) {
    this.#options = options;
  }

  get(turnId: string): ApiTurn | undefined {
    return this.#turns.get(turnId);
  }

  get size(): number {
    return this.#turns.size;
  }

  all(): readonly ApiTurn[] {
    return [...this.#turns.values()];
  }

  /** Begins a turn, or joins the one that was begun by the same request. `accepting`: something new may begin. */
  start(request: TurnRequest, accepting: boolean): ApiTurn | { readonly refusal: Refusal } {
    const turnId = turnIdOf(request);
    const plan = { ...request.plan, turnId };
    const fingerprint = hash(JSON.stringify(plan));
    const running = this.#turns.get(turnId);
    if (running) return running.fingerprint === fingerprint ? running : { refusal: conflict(request, turnId) };
    const kept = this.#options.answers.get(turnKey(turnId));
    if (kept) {
      if (kept.fingerprint !== fingerprint) return { refusal: conflict(request, turnId) };
      return answered(turnId, answerOf(kept.text));
    }
    if (!accepting) return { refusal: draining };
    const { runningTurns } = this.#options.limits;
    if (this.#turns.size >= runningTurns)
      return { refusal: notNow(429, 'TOO_MANY_TURNS', `${runningTurns} turns are running; no more run at once`) };
    return this.#begin(request, plan, fingerprint);
  }

  #begin(request: TurnRequest, plan: TurnPlan & { readonly turnId: string }, fingerprint: string): ApiTurn {
    const { turnId } = plan;
    const controller = new AbortController();
    // An id of our own making cannot have been used before.
    const isNew = request.plan.turnId === undefined && request.idempotencyKey === undefined;
    const begun = isNew ? Promise.resolve(undefined) : this.#recorded(request, plan);
    const answer = begun
      .then((recorded) => recorded ?? this.#run(plan, request.principal, controller.signal))
      .catch(() => ({ refusal: internal }));
    const turn: RunningTurn = {
      turnId,
      fingerprint,
      startedAt: Date.now(),
      begun,
      answered: answer.then((given) => {
        if (given.refusal === undefined) this.#options.answers.keep(turnKey(turnId), fingerprint, given.report);
        this.#turns.delete(turnId);
        return given;
      }),
      cancel: () => controller.abort(new DOMException('Cancelled through the Turn API', 'AbortError')),
    };
    this.#turns.set(turnId, turn);
    return turn;
  }

  async #run(plan: TurnPlan & { readonly turnId: string }, principal: string | undefined, signal: AbortSignal): Promise<TurnAnswer> {
    const { service, logs, limits, announce } = this.#options;
    announce?.({ turnId: plan.turnId, principal });
    const log = logs.open(plan.turnId);
    const result = await service.executeTurn(plan, { signal });
    log.end();
    if (result.problems) {
      const [message = 'The plan cannot be run', ...others] = result.problems;
      const problems = others.length === 0 ? {} : { problems: result.problems.map((each) => ({ code: 'INVALID_PLAN', message: each })) };
      return { refusal: { status: 422, error: { code: 'INVALID_PLAN', message, ...problems } } };
    }
    return { report: reportText(result, limits.answerChars), outcome: result.outcome, summary: result.summary };
  }

  /** What the record says of a turn of that id; `undefined`: there is none. */
  async #recorded(request: TurnRequest, plan: TurnPlan & { readonly turnId: string }): Promise<TurnAnswer | undefined> {
    const found = await findTurn(this.#options.history, plan.turnId).catch(() => undefined);
    if (found === undefined) return undefined;
    if (!isRecordOf(plan, found.events)) return { refusal: conflict(request, plan.turnId) };
    const report = tracedReport(found.events);
    if (report) return { report: JSON.stringify(report), outcome: report.outcome, summary: report.summary };
    return { refusal: unfinished(plan.turnId, found.summary.state) };
  }
}

/** Where the answer of a turn is kept. */
export const turnKey = (turnId: string): string => `turn ${turnId}`;

export const draining: Refusal = notNow(503, 'DRAINING', 'The gateway is being shut down and takes nothing new', 5_000);

const internal: Refusal = { status: 500, error: { code: 'INTERNAL_ERROR', message: 'The report of the turn could not be made' } };

/** The same request names the same turn, also after a restart. */
function turnIdOf({ plan, idempotencyKey, principal = '' }: TurnRequest): string {
  if (plan.turnId !== undefined) return plan.turnId;
  if (idempotencyKey === undefined) return `turn-${randomUUID()}`;
  return `turn-${hash(JSON.stringify([principal, idempotencyKey])).slice(0, 32)}`;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

function answered(turnId: string, answer: TurnAnswer): ApiTurn {
  const given = Promise.resolve(answer);
  return { turnId, startedAt: Date.now(), begun: given, answered: given, cancel: () => undefined };
}

function answerOf(report: string): TurnAnswer {
  const { outcome, summary } = JSON.parse(report) as { readonly outcome: TurnOutcome; readonly summary: string };
  return { report, outcome, summary };
}

function conflict({ plan, idempotencyKey }: TurnRequest, turnId: string): Refusal {
  if (plan.turnId === undefined && idempotencyKey !== undefined) {
    const message = 'This Idempotency-Key was used for another plan';
    return {
      status: 422,
      error: { code: 'IDEMPOTENCY_KEY_REUSED', message, field: 'idempotency-key', mend: 'Send another key with another plan.' },
    };
  }
  const message = `There is a turn '${turnId}' already, with another plan`;
  return {
    status: 409,
    error: { code: 'TURN_EXISTS', message, field: 'id', mend: 'Give this plan an id of its own, or leave the id out.' },
  };
}

function unfinished(turnId: string, state: TurnState): Refusal {
  const running = state === 'running';
  const message = running
    ? `Another process runs the turn '${turnId}'`
    : `The turn '${turnId}' was interrupted: its process ended before it did`;
  const mend = `Look at GET /v1/turns/${encodeURIComponent(turnId)}${running ? '.' : ' for what was done, and run the rest under another id.'}`;
  return { status: 409, error: { code: running ? 'TURN_RUNNING' : 'TURN_INTERRUPTED', message, mend } };
}
