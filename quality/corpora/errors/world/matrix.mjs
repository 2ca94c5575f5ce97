// The same failures of a server for every HTTP client. Labels say how the failure was provoked, not what a classifier makes of it.
import { c } from './index.mjs';

/** A label in short: `unscored` names the fields that do not count. */
export const label = (classification, category, ambiguous, { ra = null, also = [], unscored = [], why = '' } = {}) => ({
  classification, category, categoryAlso: also, retryAfterMs: ra, ambiguous, certain: true, unscored, why,
});
const T = 'transient', P = 'permanent';

/**
 * `call(base)` sends one request below the base URL, with the client's own retries off. `skip` names cases that the client cannot show.
 * `hint: false`: the response headers are not on the error, so no wait can be found.
 */
export function httpCases(call, { skip = [], hint = true, timeout = true, own = false } = {}) {
  const answer = (spec) => (w) => (own ? w.ownServer(spec) : w.canned(spec));
  const status = (id, status, body, how, wanted, headers) =>
    c(id, how, async (w) => call(await answer({ status, headers, body })(w), w), { label: wanted });
  const fault = (id, name, how, wanted) => c(id, how, async (w) => call(w.fault(name, '').replace(/\/$/, ''), w), { label: wanted });
  const cases = [
    status('401', 401, { message: 'Bad credentials' }, 'HTTP 401', label(P, 'auth', false)),
    status('404', 404, { message: 'No such order' }, 'HTTP 404', label(P, 'not_found', false)),
    status('422', 422, { message: 'name is too short' }, 'HTTP 422', label(P, 'invalid_input', false)),
    status('429', 429, { message: 'Too many requests' }, 'HTTP 429 with Retry-After: 2',
      label(T, 'rate_limit', false, hint ? { ra: 2000 } : { unscored: ['retryAfterMs'] }), { 'retry-after': '2' }),
    status('503', 503, { message: 'Down for maintenance' }, 'HTTP 503', label(T, 'unavailable', false, { unscored: ['ambiguous'] })),
    status('504', 504, { message: 'The upstream did not answer' }, 'HTTP 504', label(T, 'timeout', true, { also: ['unavailable'] })),
    fault('refused', 'refused', 'nobody listens', label(T, 'network', false)),
    fault('reset-request', 'reset-request', 'reset after the request was written', label(T, 'network', true)),
    fault('close-request', 'close-request', 'closed after the request was written', label(T, 'network', true)),
    ...(timeout ? [fault('timeout', 'silent', "the client's own time limit", label(T, 'timeout', true))] : []),
  ];
  return cases.filter(({ id }) => !skip.includes(id));
}
