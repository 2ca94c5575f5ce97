/** Owns what a request finds of its turn before anything is begun, no matter who runs it: one that is open, a kept answer, or a reason to begin nothing. */
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

/** A turn that a later request of the same plan joins. */
export interface JoinableTurn extends ApiTurn {
  readonly fingerprint: string;
}

export interface TurnsAtHand {
  readonly open: ReadonlyMap<string, JoinableTurn>;
  readonly answers: KeptAnswers;
  /** So many are open at once. */
  readonly most: number;
  /** Whether new work may start. */
  readonly accepting: boolean;
}

/** `begin`: there is nothing yet, and the turn may begin. */
export function joinTurn(
  request: TurnRequest,
  { open, answers, most, accepting }: TurnsAtHand,
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
  if (open.size >= most) return { refusal: tooMany(most) };
  return begin(plan, fingerprint);
}
