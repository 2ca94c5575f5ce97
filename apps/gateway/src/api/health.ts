/**
 * Owns `GET /healthz` and `GET /readyz`. Loads nothing: they have to answer when everything else fails.
 *
 * Healthy: the process answers. Ready: not draining, and not all upstreams (if any) are down. A store that accepts no events makes it degraded and not
 * unready: calls run without it, and all gateways share it, so that a load balancer would take all of them out of service.
 */
import type { Health, Readiness } from '../contract.ts';
import type { HealthParts } from './parts.ts';
import { type Refusal, refuse } from './problem.ts';

export const healthPaths: readonly string[] = ['/healthz', '/readyz'];

/** `undefined` for every other path. */
export function answerHealth(request: Request, parts: HealthParts): Response | undefined {
  const path = new URL(request.url).pathname;
  if (!healthPaths.includes(path)) return undefined;
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(notAllowed(request.method), String);
  if (path === '/healthz') return answer(200, { status: 'ok' } satisfies Health);
  const readiness = readinessOf(parts);
  return answer(readiness.ready ? 200 : 503, readiness, readiness.ready ? {} : { 'retry-after': '1' });
}

export function readinessOf({ store, upstreams, isDraining, redact }: HealthParts): Readiness {
  const draining = isDraining?.() ?? false;
  const status = store?.status();
  const states = (upstreams?.() ?? []).map(({ name, status: { state, loginRequired, loginsMissing } }) => ({
    name,
    state,
    ...(loginRequired === undefined ? {} : { login_required: true as const }),
    // Their names are not for everyone.
    ...(loginsMissing === undefined ? {} : { logins_missing: loginsMissing.length }),
  }));
  const problems: string[] = [];
  if (draining) problems.push('The gateway is shutting down and accepts no new work.');
  if (states.length > 0 && states.every(isDown)) problems.push('All upstreams are down.');
  const problem = status?.problem === undefined ? {} : { problem: redact ? redact(status.problem) : status.problem };
  return {
    ready: problems.length === 0,
    draining,
    ...(status === undefined ? {} : { store: { ok: status.ok, dropped: status.dropped, ...problem } }),
    upstreams: states,
    problems,
    degraded: status?.ok === false ? ['The trace store does not accept events: calls run, and are not recorded.'] : [],
  };
}

/** A server that waits for a login is not out of order, and the gateway has to be reachable for the login. */
const isDown = ({ state, login_required }: Readiness['upstreams'][number]): boolean =>
  login_required !== true && (state === 'down' || state === 'closed');

const notAllowed = (method: string): Refusal => ({
  status: 405,
  error: { code: 'METHOD_NOT_ALLOWED', message: `${method} is not allowed here`, allowed: 'GET, HEAD' },
  headers: { allow: 'GET, HEAD' },
});

function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } });
}
