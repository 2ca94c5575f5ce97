import { createClient } from '@clickhouse/client';
import { c } from '../world/index.mjs';
import { httpCases, label } from '../world/matrix.mjs';

export const packages = ['@clickhouse/client'];

const call = (base) => createClient({ url: base, request_timeout: 1500, max_open_connections: 1, keep_alive: { enabled: false }, log: { level: 127 } }).insert({ table: 't', values: [{ a: 1 }], format: 'JSONEachRow' });
const fail = (id, code, type, text, wanted) => c(id, `code ${code} ${type}`, async (w) => call(await w.ownServer({ status: 500, headers: { 'x-clickhouse-exception-code': String(code) }, body: `Code: ${code}. DB::Exception: ${text} (${type}) (version 25.1.1)` })), { label: wanted });

export const cases = [
  ...httpCases(call, { skip: ['401', '404', '422', '429', '503', '504'], own: true }),
  fail('syntax', 62, 'SYNTAX_ERROR', 'Syntax error: failed at position 8', label('permanent', 'invalid_input', false)),
  fail('table', 60, 'UNKNOWN_TABLE', 'Table default.t does not exist.', label('permanent', 'not_found', false)),
  fail('auth', 516, 'AUTHENTICATION_FAILED', 'default: Authentication failed: password is incorrect', label('permanent', 'auth', false)),
  fail('queries', 202, 'TOO_MANY_SIMULTANEOUS_QUERIES', 'Too many simultaneous queries. Maximum: 100.', label('transient', 'rate_limit', false, { also: ['unavailable', 'resource'] })),
  fail('memory', 241, 'MEMORY_LIMIT_EXCEEDED', 'Memory limit (total) exceeded', label('transient', 'resource', false, { unscored: ['classification', 'ambiguous'] })),
];
