import { REST } from '@discordjs/rest';
import { c } from '../world/index.mjs';
import { httpCases, label } from '../world/matrix.mjs';

export const packages = ['@discordjs/rest'];

const call = (base) => new REST({ api: base, version: '10', retries: 0, timeout: 1500, rejectOnRateLimit: () => true }).setToken('x').post('/channels/1/messages', { body: { content: 'hi' } });
const refuse = (id, status, code, message, wanted) => c(id, `HTTP ${status}, code ${code}`, (w) => call(w.canned({ status, body: { code, message } })), { label: wanted });

export const cases = [
  // The client's own timer surfaces as an abort.
  ...httpCases(call, { skip: ['422', '401', '404', '429', 'timeout'] }),
  refuse('unknown-channel', 404, 10003, 'Unknown Channel', label('permanent', 'not_found', false)),
  refuse('access', 403, 50001, 'Missing Access', label('permanent', 'permission', false)),
  refuse('form', 400, 50035, 'Invalid Form Body', label('permanent', 'invalid_input', false)),
  refuse('unauthorized', 401, 0, '401: Unauthorized', label('permanent', 'auth', false)),
  c('rate', 'HTTP 429 with retry_after 1.5', (w) => call(w.canned({ status: 429, headers: { 'retry-after': '2' }, body: { message: 'You are being rate limited.', retry_after: 1.5, global: false } })), { label: label('transient', 'rate_limit', false, { unscored: ['retryAfterMs'] }) }),
];
