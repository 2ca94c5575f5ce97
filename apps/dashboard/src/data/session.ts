/** Owns what this page may do: asked once, and again when a token was given. */
import type { ClientSession } from '@holdfast/gateway/contract';
import { type Query, useQuery } from './use-query.ts';

const useSession = (): Query<ClientSession> => useQuery<ClientSession>('/v1/session');

export interface MayAct {
  readonly allowed: boolean;
  /** Why not, in a sentence. */
  readonly reason?: string;
}

export function useMayAct(): MayAct {
  const { data, problem } = useSession();
  if (data?.can_act === true) return { allowed: true };
  if (data === undefined) return { allowed: false, reason: problem === undefined ? 'Asking what you may do …' : problem.detail };
  return { allowed: false, reason: 'This page has no token to act with. Open the address that the gateway printed when it started.' };
}
