import jayson from 'jayson/promise/index.js';
import { JSONRPCClient } from 'json-rpc-2.0';
import { c, returned } from '../world/index.mjs';
import { httpCases, label } from '../world/matrix.mjs';

export const packages = ['jayson', 'json-rpc-2.0'];

const named = (name, cases) => cases.map((each) => ({ ...each, id: `${name}-${each.id}` }));
const jay = async (base) => { const url = new URL(base); const out = await jayson.client.http({ host: url.hostname, port: url.port, path: url.pathname, timeout: 1500 }).request('pay', [1]); return out.error ? returned(out.error) : out; };
const rpc = (base) => { const client = new JSONRPCClient(async (request) => { const response = await fetch(base, { method: 'POST', body: JSON.stringify(request) }); if (response.status === 200) return client.receive(await response.json()); throw new Error(response.statusText); }); return client.request('pay', { a: 1 }); };
const fail = (id, call, code, message, wanted) => c(id, `JSON-RPC ${code}`, (w) => call(w.canned((req, url, text) => ({ status: 200, body: { jsonrpc: '2.0', id: JSON.parse(text).id, error: { code, message } } }))), { label: wanted });

export const cases = [
  ...named('jayson', httpCases(jay, { skip: ['timeout'], hint: false })),
  fail('jayson-params', jay, -32602, 'Invalid params', label('permanent', 'invalid_input', false)),
  fail('jayson-method', jay, -32601, 'Method not found', label('permanent', 'unsupported', false)),
  fail('rpc-params', rpc, -32602, 'Invalid params', label('permanent', 'invalid_input', false)),
  fail('rpc-method', rpc, -32601, 'Method not found', label('permanent', 'unsupported', false)),
  fail('rpc-own', rpc, 1001, 'Account is locked', label('permanent', 'auth', false, { also: ['permission', 'conflict', 'unknown', 'invalid_input'], unscored: ['classification', 'ambiguous', 'category'] })),
];
