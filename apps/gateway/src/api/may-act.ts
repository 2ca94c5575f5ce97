/** Owns who may act as an operator on circuits, alerts, silences and receivers. Does not own access to reading, calls and turns. */
import type { Caller } from './parts.ts';
import type { Refusal } from './problem.ts';

/** A caller with a valid token: one of the manifest, or the operator token if the manifest has none. */
export const mayAct = ({ principal }: Caller): boolean => principal !== undefined;

/** The answer to all other callers. */
export const actorNeeded: Refusal = {
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
