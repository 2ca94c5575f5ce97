import memjs from 'memjs';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['memjs'];

const set = (port) => memjs.Client.create(`127.0.0.1:${port}`, { retries: 0, timeout: 0.3, conntimeout: 0.3, logger: { log() {} } }).set('a', 'b', {});

export const cases = [
  c('refused', 'nobody listens', (w) => set(w.refusedPort), { label: label('transient', 'network', false, { also: ['unavailable'] }) }),
  c('silent', 'no answer', (w) => set(w.port('silent')), { label: label('transient', 'timeout', true, { also: ['network', 'unavailable'] }) }),
];
