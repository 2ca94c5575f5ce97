/**
 * Owns what a caller of the API may do, and which turns are its own.
 *
 * Invariants
 * 1. What belongs to others does not exist for a caller who does not see all.
 * 2. The id of a turn begins with its owner, so no caller can name the turn of another.
 */
import { type Access, seesAll, undividedAccess } from '../access/access.ts';
import { type Admission, admitCall } from '../access/call-limiter.ts';
import type { Caller } from './parts.ts';
import { notNow, type Refusal } from './problem.ts';

export type Need = 'call' | 'read' | 'operate';

export const accessOfCaller = ({ principal, access }: Caller): Access => access ?? undividedAccess(principal);

/** Why a caller may not do what needs a role; `undefined`: it may. */
export function refusalFor(caller: Caller, need: Need): Refusal | undefined {
  const { roles, principal } = accessOfCaller(caller);
  if (roles.has(need) || (need === 'read' && roles.has('operate'))) return undefined;
  return principal === undefined ? actorNeeded : roleNeeded(need);
}

export const mayAct = (caller: Caller): boolean => refusalFor(caller, 'operate') === undefined;

/** The answer to callers without a token. */
const actorNeeded: Refusal = {
  status: 401,
  error: {
    code: 'TOKEN_NEEDED',
    message: 'An operator action requires a token',
    field: 'authorization',
    allowed: 'one of gateway.tokens, or the operator token if the manifest has none, as a bearer token',
    hint: 'Open the dashboard at the address that holdfast serve prints, or set HOLDFAST_OPERATOR_TOKEN when you start it and send the same value as a bearer token.',
  },
  headers: { 'www-authenticate': 'Bearer realm="holdfast"' },
};

const roleNeeded = (role: Need): Refusal => ({
  status: 403,
  error: {
    code: 'ROLE_NEEDED',
    message: `This requires the role '${role}', which this client does not have`,
    field: 'authorization',
    hint: `Give it the role in the manifest: roles: [${role}] in gateway.tokens, gateway.groups or gateway.auth.`,
  },
});

/** The answer to a plan or policy that names a tool that does not exist for its caller. */
export const unknownAlternative = (name: string): Refusal => ({
  status: 422,
  error: { code: 'UNKNOWN_TOOL', message: `There is no tool '${name}'`, field: 'alternatives', hint: 'GET /v1/tools lists all tools.' },
});

/** The whole id of a turn that a caller names. */
export function ownTurnId(caller: Caller, turnId: string): string {
  const { owner } = accessOfCaller(caller);
  return owner === undefined || turnId.startsWith(`${owner}/`) ? turnId : `${owner}/${turnId}`;
}

/** The id of a turn that a caller wants to see: who sees all names whole ids. */
export const seenTurnId = (caller: Caller, turnId: string): string =>
  seesAll(accessOfCaller(caller)) ? turnId : ownTurnId(caller, turnId);

/** Selects the turns that a caller sees; `undefined`: all. */
export function turnFilterOf(caller: Caller): ((turnId: string) => boolean) | undefined {
  const access = accessOfCaller(caller);
  if (seesAll(access)) return undefined;
  return (turnId) => turnId.startsWith(`${access.owner}/`);
}

type Admitted = { readonly release: () => void; readonly refusal?: undefined } | { readonly refusal: Refusal };

/** Counts calls of a caller: all of them, or none. */
export function admitCalls(caller: Caller, count: number): Admitted {
  const { limiters } = accessOfCaller(caller);
  const taken: Admission[] = [];
  const release = (): void => {
    for (const each of taken) each.release?.();
  };
  for (let call = 0; limiters.length > 0 && call < count; call += 1) {
    const admission = admitCall(limiters);
    if (admission.refusal !== undefined) {
      release();
      return { refusal: notNow(429, 'RATE_LIMITED', admission.refusal.message, admission.refusal.retryAfterMs) };
    }
    taken.push(admission);
  }
  return { release };
}
