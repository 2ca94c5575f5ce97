// Small clients of web services.
import { Meilisearch } from 'meilisearch';
import sendgrid from '@sendgrid/mail';
import { Resend } from 'resend';
import Groq from 'groq-sdk';
import { Database } from 'arangojs';
import { c, returned } from '../world/index.mjs';
import { httpCases, label } from '../world/matrix.mjs';

export const packages = ['meilisearch', '@sendgrid/mail', 'resend', 'groq-sdk', 'arangojs'];

const named = (name, cases) => cases.map((each) => ({ ...each, id: `${name}-${each.id}` }));
const meili = (base) => new Meilisearch({ host: base, apiKey: 'k', timeout: 1500 }).index('orders').addDocuments([{ id: 1 }]);
const grid = (base) => { sendgrid.setApiKey('SG.x'); sendgrid.client.setDefaultRequest('baseUrl', `${base}/`); return sendgrid.send({ to: 'a@b.c', from: 'd@e.f', subject: 's', text: 't' }); };
const groq = (base) => new Groq({ apiKey: 'k', baseURL: base, maxRetries: 0, timeout: 1500 }).chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
const arango = (base) => new Database({ url: base, maxRetries: false }).collection('orders').save({ a: 1 });
const resend = async (base) => { process.env.RESEND_BASE_URL = base; const out = await new Resend('re_x', { baseUrl: base }).emails.send({ from: 'a@b.c', to: 'd@e.f', subject: 's', text: 't' }); return out.error ? returned(out.error) : out; };
const body = (id, status, make, call, wanted, headers) => c(id, `HTTP ${status} ${JSON.stringify(make)}`, async (w) => call(await w.ownServer({ status, headers, body: make })), { label: wanted });

export const cases = [
  ...named('meilisearch', httpCases(meili, { hint: false })),
  ...named('groq', httpCases(groq)),
  ...named('arango', httpCases(arango, { timeout: false, hint: false })),
  body('arango-conflict', 409, { error: true, code: 409, errorNum: 1210, errorMessage: 'unique constraint violated' }, arango, label('permanent', 'conflict', false)),
  body('arango-write-conflict', 409, { error: true, code: 409, errorNum: 1200, errorMessage: 'AQL: timeout waiting to lock key - write-write conflict' }, arango, label('transient', 'conflict', false)),
  body('groq-413', 413, { error: { message: 'Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 9000', type: 'tokens', code: 'rate_limit_exceeded' } }, groq, label('permanent', 'payload_too_large', false, { also: ['rate_limit'], unscored: ['classification'] })),
  body('resend-daily', 429, { statusCode: 429, name: 'daily_quota_exceeded', message: 'You have reached your daily email sending quota.' }, resend, label('permanent', 'quota_exhausted', false)),
  body('resend-monthly', 429, { statusCode: 429, name: 'monthly_quota_exceeded', message: 'You have reached your monthly email sending quota.' }, resend, label('permanent', 'quota_exhausted', false)),
  body('resend-rate', 429, { statusCode: 429, name: 'rate_limit_exceeded', message: 'Too many requests. You can only make 2 requests per second.' }, resend, label('transient', 'rate_limit', false, { unscored: ['retryAfterMs'] }), { 'retry-after': '1' }),
  body('resend-invalid', 422, { statusCode: 422, name: 'validation_error', message: 'Invalid `to` field.' }, resend, label('permanent', 'invalid_input', false)),
  body('sendgrid-401', 401, { errors: [{ message: 'The provided authorization grant is invalid, expired, or revoked' }] }, grid, label('permanent', 'auth', false)),
  body('sendgrid-429', 429, { errors: [{ message: 'too many requests' }] }, grid, label('transient', 'rate_limit', false)),
  body('sendgrid-credits', 403, { errors: [{ message: 'Maximum credits exceeded' }] }, grid, label('permanent', 'quota_exhausted', false)),
];
