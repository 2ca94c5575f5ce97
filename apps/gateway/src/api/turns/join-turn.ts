/** Owns what a request finds before its turn starts, whatever runs turns: an open turn, a kept answer, or a refusal. */
import { FairShare } from '@holdfast/mcp-wire/server';
import type { Refusal } from '../problem.ts';
import {
  answeredTurn,
  answerOf,
  type ApiTurn,
  conflict,
  draining,
  fingerprintOf,
  type NamedPlan,
  tooMany,
  turnIdOf,
  turnKey,
  type TurnRequest,
} from './api-turns.ts';
import type { KeptAnswers } from './kept-answers.ts';

/** A turn that later requests with the same plan join. */
export interface JoinableTurn extends ApiTurn {
  readonly fingerprint: string;
  readonly owner: string | undefined;
}

export interface JoinContext {
  readonly open: ReadonlyMap<string, JoinableTurn>;
  readonly answers: KeptAnswers;
  /** Maximum number of open turns. */
  readonly maxRunning: number;
  /** Whether new work may start. */
  readonly accepting: boolean;
  /** Resolves when a turn no longer counts as running. */
  readonly over: (turn: ApiTurn) => Promise<unknown>;
}

function shareOf(open: JoinContext['open'], limit: number): FairShare {
  const share = new FairShare(limit);
  for (const { owner } of open.values()) share.take(owner);
  return share;
}

/** `begin` starts the turn if there is none yet. */
export function joinTurn(
  request: TurnRequest,
  { open, answers, maxRunning, accepting, over }: JoinContext,
  begin: (plan: NamedPlan, fingerprint: string) => ApiTurn,
): ApiTurn | { readonly refusal: Refusal } {
  const turnId = turnIdOf(request);
  const plan = { ...request.plan, turnId };
  const fingerprint = fingerprintOf(plan);
  const joined = open.get(turnId);
  if (joined) return joined.fingerprint === fingerprint ? joined : { refusal: conflict(request, turnId) };
  const kept = answers.get(turnKey(turnId));
  if (kept) return kept.fingerprint === fingerprint ? answeredTurn(turnId, answerOf(kept.text)) : { refusal: conflict(request, turnId) };
  if (!accepting) return { refusal: draining };
  if (open.size >= maxRunning) return { refusal: tooMany(`${maxRunning} turns are running, which is the limit`) };
  if (!shareOf(open, maxRunning).admits(request.owner)) return { refusal: tooMany('This client has too many turns running') };
  const admission = request.admit?.();
  if (admission?.refusal !== undefined) return { refusal: admission.refusal };
  const turn = begin(plan, fingerprint);
  if (admission !== undefined) void over(turn).finally(admission.release);
  return turn;
}
