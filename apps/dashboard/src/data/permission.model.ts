/** What the page may do, and why it may not read or act. */
import type { ClientSession } from '@holdfast/gateway/contract';
import type { Problem } from './problem.ts';

export interface Permission {
  readonly allowed: boolean;
  /** Why not, as a sentence. */
  readonly reason?: string;
}

export interface PermissionInputs {
  readonly session: ClientSession | undefined;
  readonly problem: Problem | undefined;
  /** The page has a token. */
  readonly hasToken: boolean;
}

export function permissionOf({ session, problem, hasToken }: PermissionInputs): Permission {
  if (session?.can_act === true) return { allowed: true };
  if (session === undefined) return { allowed: false, reason: problem === undefined ? 'Checking permissions …' : problem.detail };
  const { principal } = session;
  if (principal !== undefined) return { allowed: false, reason: `You act as ${principal}, without the role operate.` };
  const what = hasToken ? 'The token of this page is not valid.' : 'This page has no operator token.';
  return { allowed: false, reason: `${what} Open the URL that the gateway printed at startup.` };
}

export interface Denial {
  /** A few words for the header. */
  readonly short: string;
  readonly reason: string;
  /** What to do. */
  readonly advice: string;
}

/** Why the gateway denies reading: there is no valid token, or its client lacks a role. */
export function denialOf(problem: Problem | undefined, hasToken: boolean): Denial {
  if (problem?.status === 403) {
    const other = 'Another token can be entered here. It is kept in this tab only.';
    return { short: 'role missing', reason: `${problem.detail}.`, advice: [problem.error?.hint, other].filter(Boolean).join(' ') };
  }
  return {
    short: 'token required',
    reason: hasToken ? 'This token is not valid.' : 'This gateway requires a token.',
    advice: 'Open the URL that it printed at startup, or enter the token here. It is kept in this tab only.',
  };
}
