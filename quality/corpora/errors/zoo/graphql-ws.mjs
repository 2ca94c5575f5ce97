import { createClient } from 'graphql-ws';
import { WebSocket, WebSocketServer } from 'ws';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['graphql-ws', 'ws'];

const ask = (url) => new Promise((resolve, reject) => createClient({ url, webSocketImpl: WebSocket, retryAttempts: 0, connectionAckWaitTimeout: 300, onNonLazyError: () => {} }).subscribe({ query: '{a}' }, { next: resolve, error: reject, complete: resolve }));
const server = (w, behave) => new Promise((resolve) => { const made = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'graphql-transport-ws' }, () => resolve(`ws://127.0.0.1:${made.address().port}`)); made.on('connection', (socket) => socket.on('message', (data) => behave(socket, JSON.parse(String(data))))); w.onClose(() => made.close()); });
const close = (code, reason) => (socket) => socket.close(code, reason);

export const cases = [
  c('forbidden', 'close 4403 Forbidden', async (w) => ask(await server(w, close(4403, 'Forbidden'))), { label: label('permanent', 'permission', false) }),
  c('unauthorized', 'close 4401 Unauthorized', async (w) => ask(await server(w, close(4401, 'Unauthorized'))), { label: label('permanent', 'auth', false) }),
  c('bad-request', 'close 4400', async (w) => ask(await server(w, close(4400, 'Invalid message received'))), { label: label('permanent', 'invalid_input', false) }),
  c('ack', 'no acknowledgement in time', async (w) => ask(await server(w, () => {})), { label: label('transient', 'timeout', false, { unscored: ['ambiguous'] }) }),
  c('going-away', 'close 1001 in the middle', async (w) => ask(await server(w, (socket, { type }) => (type === 'connection_init' ? socket.send('{"type":"connection_ack"}') : socket.close(1001, 'Going away')))), { label: label('transient', 'network', true, { also: ['unavailable'] }) }),
  c('error', 'a validation error of the operation', async (w) => ask(await server(w, (socket, { type, id }) => socket.send(JSON.stringify(type === 'connection_init' ? { type: 'connection_ack' } : { id, type: 'error', payload: [{ message: 'Cannot query field "a" on type "Query".', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] })))), { label: label('permanent', 'invalid_input', false) }),
];
