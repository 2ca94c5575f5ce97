import { createWalletClient, createPublicClient, http, getAddress, parseEther } from 'viem';
import { c } from '../world/index.mjs';
import { httpCases, label } from '../world/matrix.mjs';

export const packages = ['viem'];

const send = (base) => createWalletClient({ transport: http(base, { retryCount: 0, timeout: 2000 }) }).sendRawTransaction({ serializedTransaction: '0x02' });
const rpc = (id, code, message, wanted) => c(id, `JSON-RPC ${code}: ${message}`, async (w) => send(w.canned((req, url, text) => ({ status: 200, body: { jsonrpc: '2.0', id: JSON.parse(text).id, error: { code, message } } }))), { label: wanted });

export const cases = [
  ...httpCases(send, { hint: false }),
  rpc('limit', -32005, 'daily request count exceeded, request rate limited', label('transient', 'rate_limit', false, { also: ['quota_exhausted'], unscored: ['classification'] })),
  rpc('nonce', -32000, 'nonce too low', label('permanent', 'conflict', false, { also: ['invalid_input'] })),
  rpc('funds', -32000, 'insufficient funds for gas * price + value', label('permanent', 'quota_exhausted', false, { also: ['invalid_input', 'resource'] })),
  rpc('reverted', 3, 'execution reverted: SafeMath: subtraction overflow', label('permanent', 'invalid_input', false, { also: ['conflict', 'contract', 'unknown'], unscored: ['ambiguous'] })),
  rpc('method', -32601, 'the method eth_foo does not exist/is not available', label('permanent', 'unsupported', false)),
  c('bad-address', 'an address that is none', async () => getAddress('0x12'), { label: label('permanent', 'invalid_input', false) }),
  c('bad-call', 'a call with an invalid address', async (w) => createPublicClient({ transport: http(w.refused) }).call({ to: 'nope', value: parseEther('1'), account: '0x1' }), { label: label('permanent', 'invalid_input', false) }),
];
