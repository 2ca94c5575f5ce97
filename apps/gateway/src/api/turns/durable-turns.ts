/**
 * Owns the turns of this API that an engine runs, from request to answer.
 *
 * Invariants
 * 1. The engine runs one turn per id; a repeated request, at any gateway, waits for the same turn.
 * 2. A turn continues when this process ends; only `cancel` ends it early.
 * 3. No client waits for an engine that cannot be reached, or much longer than the deadline of the turn.
 */
import type { Store } from '@holdfast/core/store';
import { type EngineReport, isUnavailable, type TurnEngine } from '../../engine/turn-engine.ts';
import { waitForReport } from '../../engine/wait-for-report.ts';
import type { ApiLimits } from '../parts.ts';
import type { Refusal } from '../problem.ts';
import { waitAtMost } from '@holdfast/core/internal/plain';
import {
  answerOf,
  type ApiTurn,
  type ApiTurns,
  conflict,
  isNew,
  type NamedPlan,
  type TurnStatus,
  type TurnAnswer,
  turnKey,
  type TurnRequest,
  unrunnable,
} from './api-turns.ts';
import { endedOutside, engineRefusal, turnContinues, notEndedInTime } from './engine-refusals.ts';
import { findRecord } from './find-record.ts';
import { type JoinableTurn, joinTurn } from './join-turn.ts';
import type { KeptAnswers } from './kept-answers.ts';
import { reportText } from './report-text.ts';
import { tracedReport } from './traced-report.ts';

export interface DurableTurnsOptions {
  readonly engine: TurnEngine;
  readonly history: Store;
  readonly answers: KeptAnswers;
  readonly limits: Pick<ApiLimits, 'runningTurns' | 'answerChars'>;
  /** The deadline of turns that set none. */
  readonly turnTimeoutMs: number;
}

/** How long to wait beyond the deadline of a turn: another worker may have to take it over. */
const graceMs = 30_000;

export class DurableTurns implements ApiTurns {
  readonly #options: DurableTurnsOptions;
  /** Turns that were just submitted, or that a client waits for. */
  readonly #open = new Map<string, JoinableTurn>();
  readonly #shutdown = new AbortController();

  constructor(options: DurableTurnsOptions) {
    this.#options = options;
  }

  ids(): readonly string[] {
    return [...this.#open.keys()];
  }

  start(request: TurnRequest, accepting: boolean): ApiTurn | { readonly refusal: Refusal } {
    const { answers, limits } = this.#options;
    const joinContext = { open: this.#open, answers, maxRunning: limits.runningTurns, accepting, over: (turn: ApiTurn) => turn.started };
    return joinTurn(request, joinContext, (plan, fingerprint) => this.#begin(request, plan, fingerprint));
  }

  async cancel(turnId: string): Promise<TurnAnswer | undefined> {
    const { engine } = this.#options;
    try {
      const asked = await engine.cancel(turnId, 'Cancelled through the Turn API');
      // The record may lag behind.
      if (asked === 'over') return await this.#answerOfEnded(turnId);
      if (asked === 'unknown') return undefined;
      return this.#answerOf(turnId, await this.#wait(turnId, engine.timeoutMs));
    } catch (error) {
      return { refusal: this.#refusal(error, turnId) };
    }
  }

  async report(turnId: string): Promise<string | undefined> {
    const { answers, engine, limits } = this.#options;
    const kept = answers.get(turnKey(turnId))?.text;
    if (kept !== undefined) return kept;
    const known = await engine.outcome(turnId).catch(() => undefined);
    return known?.state === 'completed' && !known.report.problems ? reportText(known.report, limits.answerChars) : undefined;
  }

  async #answerOfEnded(turnId: string): Promise<TurnAnswer | undefined> {
    const known = await this.#options.engine.outcome(turnId);
    if (known.state !== 'completed') return undefined;
    return known.report.outcome === 'cancelled' ? this.#answerOf(turnId, known.report) : { refusal: ended };
  }

  async status(turnId: string): Promise<TurnStatus> {
    const { engine, limits } = this.#options;
    try {
      const known = await engine.outcome(turnId);
      if (known.state === 'failed') return { state: 'interrupted' };
      if (known.state !== 'completed') return { state: known.state };
      // A plan that could not run is not a turn.
      if (known.report.problems) return { state: 'unknown' };
      return { state: 'completed', report: reportText(known.report, limits.answerChars) };
    } catch (error) {
      return { refusal: engineRefusal(error) };
    }
  }

  async drain(limitMs: number): Promise<void> {
    await waitAtMost(globalThis, Promise.all([...this.#open.values()].map((turn) => turn.answer())), limitMs);
    this.#shutdown.abort(new DOMException('The gateway is shutting down', 'AbortError'));
  }

  #begin(request: TurnRequest, plan: NamedPlan, fingerprint: string): ApiTurn {
    const { turnId } = plan;
    const started = this.#handOver(request, plan).catch((error: unknown) => ({ refusal: engineRefusal(error, turnId) }));
    let answer: Promise<TurnAnswer> | undefined;
    const forget = (): void => {
      if (this.#open.get(turnId) === turn) this.#open.delete(turnId);
    };
    const turn: JoinableTurn = {
      turnId,
      fingerprint,
      owner: request.owner,
      started,
      answer: () =>
        (answer ??= started
          .then(async (given) => given ?? (await this.#outcome(request, plan)))
          .then((given) => {
            if (given.refusal === undefined)
              this.#options.answers.keep(turnKey(turnId), request.owner, { fingerprint, text: given.report });
            forget();
            return given;
          })),
    };
    this.#open.set(turnId, turn);
    // Without a waiting client, the turn need not be kept: the engine has it.
    void started.then(() => setImmediate(() => (answer === undefined ? forget() : undefined)));
    return turn;
  }

  /** Returns `undefined` when the engine has accepted the turn. */
  async #handOver(request: TurnRequest, plan: NamedPlan): Promise<TurnAnswer | undefined> {
    const recorded = isNew(request) ? undefined : await this.#recordedAnswer(request, plan);
    if (recorded) return recorded;
    const submitted = await this.#options.engine.submit({ turnId: plan.turnId, plan });
    // The record may lack the end of a turn that the engine has ended.
    return submitted === 'known' ? this.#endedAnswer(request, plan) : undefined;
  }

  /** Returns the answer of a turn that has ended; `undefined` while it runs. */
  async #endedAnswer(request: TurnRequest, plan: NamedPlan): Promise<TurnAnswer | undefined> {
    const known = await this.#options.engine.outcome(plan.turnId);
    return known.state === 'completed' ? this.#answerTo(request, plan, known.report) : undefined;
  }

  #answerTo(request: TurnRequest, plan: NamedPlan, report: EngineReport | undefined): TurnAnswer {
    if (report && !report.problems && !isReportOf(plan, report)) return { refusal: conflict(request, plan.turnId) };
    return this.#answerOf(plan.turnId, report);
  }

  async #outcome(request: TurnRequest, plan: NamedPlan): Promise<TurnAnswer> {
    const { turnId, timeoutMs = this.#options.turnTimeoutMs } = plan;
    try {
      const report = await this.#wait(turnId, (timeoutMs ?? Infinity) + graceMs);
      return this.#answerTo(request, plan, report);
    } catch (error) {
      return { refusal: this.#refusal(error, turnId) };
    }
  }

  #wait(turnId: string, limitMs: number): Promise<EngineReport | undefined> {
    return waitForReport(this.#options.engine, turnId, { limitMs, signal: this.#shutdown.signal });
  }

  #answerOf(turnId: string, report: EngineReport | undefined): TurnAnswer {
    if (report === undefined) return { refusal: notEndedInTime(turnId) };
    if (report.problems) return unrunnable(report.problems);
    return { report: reportText(report, this.#options.limits.answerChars), outcome: report.outcome, summary: report.summary };
  }

  #refusal(error: unknown, turnId: string): Refusal {
    if (this.#shutdown.signal.aborted) return turnContinues(turnId);
    return isUnavailable(error) ? engineRefusal(error, turnId) : endedOutside(error);
  }

  /** Returns the recorded answer of a turn with that id that has ended; a turn that has not ended is waited for. */
  async #recordedAnswer(request: TurnRequest, plan: NamedPlan): Promise<TurnAnswer | undefined> {
    const found = await findRecord(this.#options.history, request, plan);
    if (found === undefined || 'refusal' in found) return found;
    const traced = tracedReport(found.events);
    if (traced === undefined) return undefined;
    return answerOf((await this.report(plan.turnId)) ?? JSON.stringify(traced));
  }
}

/** The answer to cancelling a turn that has ended. */
const ended: Refusal = { status: 409, error: { code: 'TURN_OVER', message: 'The turn has already ended' } };

/** Another plan may have run under this id. */
function isReportOf({ calls }: NamedPlan, { results }: EngineReport): boolean {
  const planned = new Map(calls.map(({ callId, toolName }, index) => [callId ?? `call-${index + 1}`, toolName]));
  return results.every(({ callId, toolName }) => planned.get(callId) === toolName);
}
