import { Api } from 'grammy';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['grammy'];

const call = (base) => new Api('1:token', { apiRoot: base, timeoutSeconds: 1, sensitiveLogs: true }).sendMessage(1, 'hi');
const refuse = (id, error_code, description, parameters, wanted) => c(id, `HTTP ${error_code}: ${description}`, async (w) => call(await w.ownServer({ status: error_code, body: { ok: false, error_code, description, parameters } })), { label: wanted });

export const cases = [
  refuse('unauthorized', 401, 'Unauthorized', {}, label('permanent', 'auth', false)),
  refuse('blocked', 403, 'Forbidden: bot was blocked by the user', {}, label('permanent', 'permission', false)),
  refuse('chat', 400, 'Bad Request: chat not found', {}, label('permanent', 'not_found', false, { also: ['invalid_input'] })),
  refuse('flood', 429, 'Too Many Requests: retry after 5', { retry_after: 5 }, label('transient', 'rate_limit', false, { ra: 5000 })),
  c('refused', 'nobody listens', (w) => call(w.refused), { label: label('transient', 'network', false) }),
  c('reset', 'reset after the request', (w) => call(w.fault('reset-request', '')), { label: label('transient', 'network', true) }),
];
