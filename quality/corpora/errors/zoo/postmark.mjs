import { ServerClient } from 'postmark';
import { c } from '../world/index.mjs';
import { httpCases, label } from '../world/matrix.mjs';

export const packages = ['postmark'];

const call = (base) => {
  const url = new URL(base);
  return new ServerClient('token', { useHttps: false, requestHost: url.host + (url.pathname === '/' ? '' : url.pathname), timeout: 2 }).sendEmail({ From: 'a@b.c', To: 'd@e.f', TextBody: 'hi' });
};
const refuse = (id, status, ErrorCode, Message, wanted) => c(id, `HTTP ${status}, ErrorCode ${ErrorCode}`, (w) => call(w.canned({ status, body: { ErrorCode, Message } })), { label: wanted });

export const cases = [
  // No cause is kept: that nothing was sent does not show.
  ...httpCases(call, { hint: false }).map((each) => (each.id === 'refused' ? { ...each, label: { ...each.label, unscored: ['ambiguous'] } } : each)),
  refuse('inactive', 422, 406, 'You tried to send to recipient(s) that have been marked as inactive.', label('permanent', 'invalid_input', false, { also: ['conflict', 'not_found', 'permission', 'unsupported'] })),
  refuse('bad-token', 401, 10, 'No Account or Server API tokens were supplied in the HTTP headers.', label('permanent', 'auth', false)),
];
