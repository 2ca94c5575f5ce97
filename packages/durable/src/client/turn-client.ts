/** Owns submitting turns to Restate and querying them, from a process without tools. */
import { checkOptions, delay, period, signalRule, type Fields } from '@holdfast/core/internal/plain';
import { addressRule, headersRule } from '../engine/address-rule.ts';
import { randomUUID } from 'node:crypto';
import type { TurnPlan } from '@holdfast/core';
import { engineUnavailable } from '../engine/engine-unavailable.ts';
import { asReceived, planDigest, type DurableTurnResult, type TurnRecord } from '../turns/turn-record.ts';
import { turnIdProblem } from '../turns/turn-id.ts';
import { nameRule, TURN_SERVICE } from '../turns/turn-service-options.ts';
import { createAdmin, type Admin, type PausedTurn } from './admin.ts';
import { awaitTurn, retryWhileLost } from './await-turn.ts';
import { createIngress, type Ingress } from './ingress.ts';
import { readError, readAnswer, throwIfUnavailable, type TurnAnswer } from './read-answer.ts';
import { turnError, turnUnknown } from './turn-error.ts';

/** How a client reaches Restate and the turn service there. */
export interface TurnClientOptions {
  /** Restate's ingress, such as `http://127.0.0.1:8080`. */
  readonly ingressUrl: string;
  /** Restate's admin address, such as `http://127.0.0.1:9070`. Needed to recognize paused turns. @default paused turns are reported as running */
  readonly adminUrl?: string;
  /** Sent with every request. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** Its name, as the workers set it. @default 'holdfast_turn' */
  readonly serviceName?: string;
  /** Time limit of each request. `run` and `result` also tolerate a lost engine for this long. @default 10000 */
  readonly timeoutMs?: number;
}

/** Settings of one run of a turn. */
export interface SubmitOptions {
  /** Identifies this run of the turn: it is the prefix of idempotency keys, and stores find the run by it. @default unique */
  readonly executionId?: string;
  /** Whether the result includes the trace. @default false: the store has it */
  readonly trace?: boolean;
}

/** How long a caller waits for the end of a turn. */
export interface WaitOptions {
  /** Ends the wait, not the turn; `cancel` ends the turn. */
  readonly signal?: AbortSignal;
  /** How long to wait for the turn's end. @default no limit while the engine answers */
  readonly waitMs?: number;
}

/** Restate's answer to a turn that was submitted. */
export interface SubmittedTurn {
  /** Id of the turn: the plan's, or a new one if the plan has none. */
  readonly turnId: string;
  /** `known`: the id was submitted before, and nothing was started. */
  readonly status: 'accepted' | 'known';
}

/** `paused`: workers did not answer or failed too often; reported only with `adminUrl`. `failed`: the request was no turn, or the turn was ended from outside. */
export type DurableTurnState = 'unknown' | 'running' | 'paused' | 'completed' | 'failed';

/** Every method rejects with the code `ENGINE_UNAVAILABLE` if the engine is lost, hangs or fails. */
export interface TurnClient {
  /** Submits a turn and waits for its result. Rejects with a `TurnError`. */
  run(plan: TurnPlan, options?: SubmitOptions & WaitOptions): Promise<DurableTurnResult>;
  /** Submits a turn. A repeated call has no effect: a turn id is started once, whatever its plan. */
  submit(plan: TurnPlan, options?: SubmitOptions): Promise<SubmittedTurn>;
  /** Waits for a turn's result, across lost connections. Rejects with a `TurnError`. */
  result(turnId: string, options?: WaitOptions): Promise<DurableTurnResult>;
  /** Resolves to the result if there is one. Rejects with a `TurnError` for a turn that failed. */
  peek(turnId: string): Promise<DurableTurnResult | undefined>;
  /** Resolves to the state of a turn. `paused` is recognized only with `adminUrl`; without it such a turn is `running`. */
  state(turnId: string): Promise<DurableTurnState>;
  /** Requests the end of a turn: its result follows soon, with what was done by then. `over`: it had ended before. */
  cancel(turnId: string, reason?: string): Promise<'cancelled' | 'over' | 'unknown'>;
  /** Resolves to the turns that wait to be resumed. Needs `adminUrl`. */
  paused(): Promise<readonly PausedTurn[]>;
  /** Resumes a paused turn. Resolves to whether it was paused. Needs `adminUrl`. */
  resume(turnId: string): Promise<boolean>;
  /** Resolves if the engine answers. */
  health(): Promise<void>;
}

const resultOf = (turnId: string, answer: TurnAnswer): TurnRecord => {
  if (answer.kind === 'over') return answer.record;
  if (answer.kind === 'failed') throw turnError('TURN_REFUSED', turnId, answer.message);
  throw turnUnknown(turnId);
};

const submitTurn = async (
  ingress: Ingress,
  turnId: string,
  plan: TurnPlan,
  { executionId, trace }: SubmitOptions,
): Promise<SubmittedTurn> => {
  const body = JSON.stringify({ plan, executionId: executionId ?? randomUUID(), ...(trace === undefined ? {} : { trace }) });
  const answer = await ingress.submit(turnId, body);
  throwIfUnavailable(answer);
  const { message } = readError(answer);
  if (answer.status === 404) throw engineUnavailable('fault', `No worker is registered with Restate: ${message}`);
  if (answer.status >= 300) throw turnError('TURN_REFUSED', turnId, `Restate did not accept the turn (HTTP ${answer.status}): ${message}`);
  return { turnId, status: answer.text.includes('"PreviouslyAccepted"') ? 'known' : 'accepted' };
};

const awaitRecord = async (ingress: Ingress, turnId: string, { signal, waitMs }: WaitOptions, lostMs: number): Promise<TurnRecord> => {
  const limit = waitMs === undefined ? undefined : AbortSignal.timeout(waitMs);
  const signals = [signal, limit].filter((each) => each !== undefined);
  try {
    return resultOf(
      turnId,
      await awaitTurn(ingress, turnId, { lostMs, signal: signals.length === 0 ? undefined : AbortSignal.any(signals) }),
    );
  } catch (error) {
    if (limit?.aborted !== true || signal?.aborted === true) throw error;
    throw turnError('TURN_PENDING', turnId, `Turn '${turnId}' did not end within ${waitMs} ms. It continues.`);
  }
};

const createAdminOrFail = (options: TurnClientOptions, serviceName: string, timeoutMs: number): (() => Admin) => {
  const { adminUrl, headers = {} } = options;
  const admin = adminUrl === undefined ? undefined : createAdmin({ adminUrl, serviceName, headers, timeoutMs });
  return () => {
    if (admin === undefined)
      throw new TypeError('adminUrl = undefined: paused turns are only available at the admin address. Set adminUrl.');
    return admin;
  };
};

const usable = (turnId: string): string => {
  const problem = turnIdProblem(turnId);
  if (problem !== undefined) throw turnError('TURN_REFUSED', turnId, problem);
  return turnId;
};

const clientFields: Fields = {
  ingressUrl: addressRule,
  adminUrl: addressRule,
  headers: headersRule,
  serviceName: nameRule,
  timeoutMs: period,
};

const submitFields: Fields = { executionId: 'string', trace: 'boolean' };
const waitFields: Fields = { signal: signalRule, waitMs: delay };

/** Opens no connection before its first use. */
export const createTurnClient = (options: TurnClientOptions): TurnClient => {
  checkOptions(clientFields, options, 'createTurnClient', ['ingressUrl']);
  const { ingressUrl, headers = {}, serviceName = TURN_SERVICE, timeoutMs = 10_000 } = options;
  const ingress = createIngress({ ingressUrl, serviceName, headers, timeoutMs });
  const admin = createAdminOrFail(options, serviceName, timeoutMs);
  const answerOf = async (turnId: string): Promise<TurnAnswer> => readAnswer(await ingress.output(usable(turnId)));
  const idOf = (plan: TurnPlan): string => (plan.turnId === undefined || plan.turnId === '' ? randomUUID() : usable(plan.turnId));
  return {
    run: async (plan, wishes = {}) => {
      checkOptions({ ...submitFields, ...waitFields }, wishes, "run's options");
      const turnId = idOf(plan);
      const { status } = await retryWhileLost(() => submitTurn(ingress, turnId, plan, wishes), {
        lostMs: timeoutMs,
        signal: wishes.signal,
      });
      const record = await awaitRecord(ingress, turnId, wishes, timeoutMs);
      if (status === 'known' && record.planDigest !== planDigest(asReceived(plan))) {
        throw turnError('TURN_CONFLICT', turnId, `Turn '${turnId}' was submitted before with another plan. Use another id.`);
      }
      return record.result;
    },
    submit: async (plan, wishes = {}) => {
      checkOptions(submitFields, wishes, "submit's options");
      return submitTurn(ingress, idOf(plan), plan, wishes);
    },
    result: async (turnId, wishes = {}) => {
      checkOptions(waitFields, wishes, "result's options");
      return (await awaitRecord(ingress, usable(turnId), wishes, timeoutMs)).result;
    },
    peek: async (turnId) => {
      const answer = await answerOf(turnId);
      return answer.kind === 'running' || answer.kind === 'unknown' ? undefined : resultOf(turnId, answer).result;
    },
    state: async (turnId) => {
      const { kind } = await answerOf(turnId);
      if (kind === 'over') return 'completed';
      if (kind !== 'running' || options.adminUrl === undefined) return kind;
      return (await admin().paused(turnId)).length > 0 ? 'paused' : 'running';
    },
    cancel: async (turnId, reason) => {
      const { kind } = await answerOf(turnId);
      if (kind !== 'running') return kind === 'unknown' ? 'unknown' : 'over';
      throwIfUnavailable(await ingress.cancel(turnId, JSON.stringify(reason === undefined ? {} : { reason })));
      return 'cancelled';
    },
    paused: async () => admin().paused(),
    resume: async (turnId) => {
      const [turn] = await admin().paused(usable(turnId));
      if (turn !== undefined) await admin().resume(turn);
      return turn !== undefined;
    },
    health: async () => {
      const answer = await ingress.health();
      throwIfUnavailable(answer);
      if (answer.status >= 300) throw engineUnavailable('fault', `Restate answered HTTP ${answer.status} to the health check.`);
    },
  };
};
