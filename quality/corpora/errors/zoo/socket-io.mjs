import { io } from 'socket.io-client';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['socket.io-client'];

const connect = (url, options) => new Promise((resolve, reject) => { const socket = io(url, { reconnection: false, timeout: 400, transports: ['websocket'], forceNew: true, ...options }); socket.on('connect_error', (error) => { socket.close(); reject(error); }).on('connect', resolve); });

export const cases = [
  c('refused', 'nobody listens', (w) => connect(w.refused), { label: label('transient', 'network', false) }),
  c('polling-refused', 'polling: nobody listens', (w) => connect(w.refused, { transports: ['polling'] }), { label: label('transient', 'network', false, { unscored: ['ambiguous'] }) }),
  c('silent', 'no handshake', (w) => connect(w.fault('silent', '')), { label: label('transient', 'timeout', false, { unscored: ['ambiguous'] }) }),
  c('ack', 'an event without an answer in time', async () => { await io('http://127.0.0.1:9', { autoConnect: false }).timeout(50).emitWithAck('pay'); }, { label: label('transient', 'timeout', true) }),
];
