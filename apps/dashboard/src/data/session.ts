/** The permissions of this page: requested once, and again after a token was entered. */
import type { ClientSession } from '@holdfast/gateway/contract';
import { type Query, useQuery } from './use-query.ts';

const useSession = (): Query<ClientSession> => useQuery<ClientSession>('/v1/session');

export interface Permission {
  readonly allowed: boolean;
  /** Why not, as a sentence. */
  readonly reason?: string;
}

export function usePermission(): Permission {
  const { data, problem } = useSession();
  if (data?.can_act === true) return { allowed: true };
  if (data === undefined) return { allowed: false, reason: problem === undefined ? 'Checking permissions …' : problem.detail };
  return { allowed: false, reason: 'This page has no operator token. Open the URL that the gateway printed at startup.' };
}
