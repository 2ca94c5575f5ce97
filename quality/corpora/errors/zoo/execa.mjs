import { execa } from 'execa';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['execa'];

export const cases = [
  c('killed', 'killed by SIGKILL', () => execa('sh', ['-c', 'kill -9 $$']), { label: label('transient', 'network', true, { also: ['unknown', 'resource', 'unavailable'], unscored: ['classification', 'category'] }) }),
  c('timeout', 'the time limit', () => execa('sleep', ['5'], { timeout: 100 }), { label: label('transient', 'timeout', true) }),
  c('missing', 'no such program', () => execa('no_such_program_x'), { label: label('permanent', 'not_found', false) }),
  c('abort', 'the caller aborts', () => { const a = new AbortController(); setTimeout(() => a.abort(), 50); return execa('sleep', ['5'], { cancelSignal: a.signal }); }, { label: label('neutral', 'cancelled', true, { unscored: ['ambiguous'] }) }),
  c('exit-1', 'exit code 1 without a word', () => execa('false'), { label: label('transient', 'unknown', true, { unscored: ['classification', 'category'] }) }),
  c('curl-refused', 'curl: nobody listens', (w) => execa('curl', ['-sS', '-d', 'x', w.refused]), { label: label('transient', 'network', false) }),
  c('ls', 'ls: no such file', () => execa('ls', ['/no/such/file']), { label: label('permanent', 'not_found', false) }),
  c('max-buffer', 'more output than allowed', () => execa('seq', ['100000'], { maxBuffer: 100 }), { label: label('permanent', 'payload_too_large', true, { also: ['resource', 'contract'] }) }),
];
