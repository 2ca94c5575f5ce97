/**
 * Owns the turns of this API that run in this process, from request to answer.
 *
 * Invariants
 * 1. A turn id has at most one run at a time, and no further run once it is recorded: a repeated request gets the existing turn.
 * 2. A turn continues when no client waits for it; only `cancel` and the end of a drain end it early.
 * 3. Never more at the same time than the limit, and never all of one client among several.
 */
import type { Store } from '@holdfast/core/store';
import type { TurnState } from '../../contract.ts';
import type { Announce } from '../../operation/announcement.ts';
import type { ApiLimits, ApiService } from '../parts.ts';
import type { Refusal } from '../problem.ts';
import { waitAtMost } from '@holdfast/core/internal/plain';
import {
  type ApiTurn,
  type ApiTurns,
  internal,
  isNew,
  type NamedPlan,
  type TurnStatus,
  type TurnAnswer,
  turnKey,
  type TurnRequest,
  unrunnable,
} from './api-turns.ts';
import { findRecord } from './find-record.ts';
import { type JoinableTurn, joinTurn } from './join-turn.ts';
import type { KeptAnswers } from './kept-answers.ts';
import { reportText } from './report-text.ts';
import { tracedReport } from './traced-report.ts';
import type { TurnLogs } from './turn-logs.ts';

interface RunningTurn extends JoinableTurn {
  readonly cancel: () => void;
}

export interface RunningTurnsOptions {
  readonly service: Pick<ApiService, 'executeTurn'>;
  readonly history: Store;
  readonly logs: TurnLogs;
  readonly answers: KeptAnswers;
  readonly limits: Pick<ApiLimits, 'runningTurns' | 'answerChars'>;
  readonly announce?: Announce | undefined;
}

/** How long to wait for cancelled turns, which end at once. */
const cancelMs = 1_000;

export class RunningTurns implements ApiTurns {
  readonly #options: RunningTurnsOptions;
  readonly #turns = new Map<string, RunningTurn>();

  constructor(options: RunningTurnsOptions) {
    this.#options = options;
  }

  ids(): readonly string[] {
    return [...this.#turns.keys()];
  }

  start(request: TurnRequest, accepting: boolean): ApiTurn | { readonly refusal: Refusal } {
    const { answers, limits } = this.#options;
    const joinContext = { open: this.#turns, answers, maxRunning: limits.runningTurns, accepting, over: (turn: ApiTurn) => turn.answer() };
    return joinTurn(request, joinContext, (plan, fingerprint) => this.#begin(request, plan, fingerprint));
  }

  async cancel(turnId: string): Promise<TurnAnswer | undefined> {
    const turn = this.#turns.get(turnId);
    turn?.cancel();
    return turn?.answer();
  }

  async report(turnId: string): Promise<string | undefined> {
    return this.#options.answers.get(turnKey(turnId))?.text;
  }

  async status(turnId: string): Promise<TurnStatus> {
    return { state: this.#turns.has(turnId) ? 'running' : 'unknown' };
  }

  async drain(limitMs: number): Promise<void> {
    const finished = Promise.all([...this.#turns.values()].map((turn) => turn.answer()));
    await waitAtMost(globalThis, finished, limitMs);
    for (const turn of this.#turns.values()) turn.cancel();
    await waitAtMost(globalThis, finished, cancelMs);
  }

  #begin(request: TurnRequest, plan: NamedPlan, fingerprint: string): ApiTurn {
    const { turnId } = plan;
    const controller = new AbortController();
    const started = isNew(request) ? Promise.resolve(undefined) : this.#recordedAnswer(request, plan);
    const answer = started
      .then((recorded) => recorded ?? this.#run(plan, request.principal, controller.signal))
      .catch(() => ({ refusal: internal }))
      .then((given) => {
        if (given.refusal === undefined) this.#options.answers.keep(turnKey(turnId), request.owner, { fingerprint, text: given.report });
        this.#turns.delete(turnId);
        return given;
      });
    const turn: RunningTurn = {
      turnId,
      fingerprint,
      owner: request.owner,
      started,
      answer: () => answer,
      cancel: () => controller.abort(new DOMException('Cancelled through the Turn API', 'AbortError')),
    };
    this.#turns.set(turnId, turn);
    return turn;
  }

  async #run(plan: NamedPlan, principal: string | undefined, signal: AbortSignal): Promise<TurnAnswer> {
    const { service, logs, limits, announce } = this.#options;
    announce?.({ turnId: plan.turnId, principal });
    const log = logs.open(plan.turnId);
    const result = await service.executeTurn(plan, { signal });
    log.end();
    if (result.problems) return unrunnable(result.problems);
    return { report: reportText(result, limits.answerChars), outcome: result.outcome, summary: result.summary };
  }

  /** Returns the recorded answer of a turn with that id; `undefined` when it is not recorded. */
  async #recordedAnswer(request: TurnRequest, plan: NamedPlan): Promise<TurnAnswer | undefined> {
    const found = await findRecord(this.#options.history, request, plan);
    if (found === undefined || 'refusal' in found) return found;
    const report = tracedReport(found.events);
    if (report) return { report: JSON.stringify(report), outcome: report.outcome, summary: report.summary };
    return { refusal: notFinished(plan.turnId, found.summary.state) };
  }
}

function notFinished(turnId: string, state: TurnState): Refusal {
  const running = state === 'running';
  const message = running
    ? `The turn '${turnId}' is running in another process`
    : `The turn '${turnId}' was interrupted: its process ended early`;
  const hint = `See GET /v1/turns/${encodeURIComponent(turnId)}${running ? '.' : ' for what has run, and run the rest under another id.'}`;
  return { status: 409, error: { code: running ? 'TURN_RUNNING' : 'TURN_INTERRUPTED', message, hint } };
}
