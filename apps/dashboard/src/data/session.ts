/** The permissions of this page: requested once, and again after a token was entered. */
import type { ClientSession } from '@holdfast/gateway/contract';
import { type Permission, permissionOf } from './permission.model.ts';
import { tokenOf } from './session-token.ts';
import { type Query, useQuery } from './use-query.ts';

const useSession = (): Query<ClientSession> => useQuery<ClientSession>('/v1/session');

export function usePermission(): Permission {
  const { data, problem } = useSession();
  return permissionOf({ session: data, problem, hasToken: tokenOf() !== undefined });
}

/** The name that the actions of this page are recorded under; `undefined` without a token. */
export const usePrincipal = (): string | undefined => useSession().data?.principal;

/** Whether servers of this gateway have logins of people. */
export const useHasLogins = (): boolean => useSession().data?.has_logins === true;
