/** Owns who may act as an operator: on circuits, alerts, silences, receivers. Reading, calls and turns are another matter. */
import type { Caller } from './parts.ts';
import type { Refusal } from './problem.ts';

/** Anyone who has brought a token that is known: one of the manifest's, or the operator's where the manifest has none. */
export const mayAct = ({ principal }: Caller): boolean => principal !== undefined;

/** What everybody else is answered. */
export const actorNeeded: Refusal = {
  status: 401,
  error: {
    code: 'TOKEN_NEEDED',
    message: 'An operator action needs a token',
    field: 'authorization',
    allowed: 'one of gateway.tokens, or the operator token where the manifest has none, as a bearer token',
    hint: 'Open the dashboard with the address that holdfast serve prints on its terminal, or set HOLDFAST_OPERATOR_TOKEN where it is started and send the same text as a bearer token.',
  },
  headers: { 'www-authenticate': 'Bearer realm="holdfast"' },
};
