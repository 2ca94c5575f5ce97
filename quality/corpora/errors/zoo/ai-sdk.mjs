import { generateText, generateObject, jsonSchema, NoSuchToolError, InvalidToolInputError } from 'ai';
import { createOpenAI } from '@ai-sdk/openai';
import { c } from '../world/index.mjs';
import { httpCases, label } from '../world/matrix.mjs';

export const packages = ['ai', '@ai-sdk/openai'];

const model = (base) => createOpenAI({ apiKey: 'k', baseURL: base }).chat('gpt-x');
const ask = (base, maxRetries = 0) => generateText({ model: model(base), prompt: 'hi', maxRetries });
const rows = (w, specs) => { let at = 0; return w.canned(() => specs[Math.min(at++, specs.length - 1)]); };
const fail = (status, message, headers) => ({ status, headers, body: { error: { message, type: 'error' } } });

export const cases = [
  ...httpCases((base) => ask(base), { timeout: false }),
  c('retries-503-401', 'two attempts in a row: 503, then 401', (w) => ask(rows(w, [fail(503, 'down', { 'retry-after-ms': '5' }), fail(401, 'bad key')]), 1), { label: label('permanent', 'auth', false) }),
  c('retries-429', 'attempts in a row: 429 again and again', (w) => ask(rows(w, [fail(429, 'Rate limit reached', { 'retry-after-ms': '5' })]), 1), { label: label('transient', 'rate_limit', false, { ra: 5 }) }),
  c('retries-503', 'attempts in a row: 503 again and again', (w) => ask(rows(w, [fail(503, 'down', { 'retry-after-ms': '5' })]), 1), { label: label('transient', 'unavailable', false, { ra: 5, unscored: ['ambiguous'] }) }),
  c('response-shape', 'an answer that is not a completion', (w) => ask(w.canned({ status: 200, body: { oops: 1 } })), { label: label('permanent', 'contract', true) }),
  c('response-json', 'an answer that is not JSON', (w) => ask(w.canned({ status: 200, headers: { 'content-type': 'application/json' }, body: '{oops' })), { label: label('permanent', 'contract', true) }),
  c('no-object', 'text where an object was wanted', (w) => generateObject({ model: model(w.canned({ status: 200, body: { id: 'a', created: 1, model: 'm', choices: [{ index: 0, message: { role: 'assistant', content: 'no' }, finish_reason: 'stop' }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } } })), schema: jsonSchema({ type: 'object' }), prompt: 'x', maxRetries: 0 }), { label: label('permanent', 'contract', true) }),
  c('no-tool', 'a tool that does not exist', () => { throw new NoSuchToolError({ toolName: 'x', availableTools: [] }); }, { label: label('permanent', 'not_found', false, { also: ['unsupported'] }) }),
  c('tool-input', 'arguments that break the schema', () => { throw new InvalidToolInputError({ toolName: 'x', toolInput: '{', cause: new Error('bad') }); }, { label: label('permanent', 'invalid_input', false) }),
  c('prompt', 'a prompt that is none', (w) => generateText({ model: model(w.refused), prompt: [], maxRetries: 0 }), { label: label('permanent', 'invalid_input', false) }),
];
