import { Telegram } from 'telegraf';
import { c } from '../world/index.mjs';
import { httpCases, label } from '../world/matrix.mjs';

export const packages = ['telegraf'];

const call = (base) => new Telegram('1:token', { apiRoot: base }).sendMessage(1, 'hi');
const refuse = (error_code, description, parameters) => async (w) => call(await w.ownServer({ status: error_code, body: { ok: false, error_code, description, ...(parameters && { parameters }) } }));

export const cases = [
  ...httpCases(call, { skip: ['401', '404', '422', '429', '503', '504'], timeout: false }),
  c('unauthorized', 'HTTP 401 of the bot API', refuse(401, 'Unauthorized'), { label: label('permanent', 'auth', false) }),
  c('blocked', 'HTTP 403: the bot was blocked', refuse(403, 'Forbidden: bot was blocked by the user'), { label: label('permanent', 'permission', false) }),
  c('chat-not-found', 'HTTP 400: chat not found', refuse(400, 'Bad Request: chat not found'), { label: label('permanent', 'not_found', false, { also: ['invalid_input'] }) }),
  c('flood', 'HTTP 429 with parameters.retry_after 7', refuse(429, 'Too Many Requests: retry after 7', { retry_after: 7 }), { label: label('transient', 'rate_limit', false, { ra: 7000 }) }),
  c('bad-gateway', 'HTTP 502', refuse(502, 'Bad Gateway'), { label: label('transient', 'unavailable', true, { unscored: ['ambiguous'] }) }),
];
