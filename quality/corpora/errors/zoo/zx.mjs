import { $ } from 'zx';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['zx'];

const quiet = $({ quiet: true });

export const cases = [
  c('killed', 'killed by SIGKILL', () => quiet`kill -9 $$`, { label: label('transient', 'network', true, { unscored: ['classification', 'category'] }) }),
  c('missing', 'no such command', () => quiet`no_such_program_x`, { label: label('permanent', 'not_found', false, { unscored: ['ambiguous'] }) }),
  c('denied', 'a file that may not be executed', (w) => quiet`${w.tmp}`, { label: label('permanent', 'permission', false, { also: ['invalid_input'], unscored: ['ambiguous'] }) }),
  c('timeout', 'the time limit', () => quiet`sleep 5`.timeout('100ms'), { label: label('transient', 'timeout', true, { unscored: ['category'], why: 'only the signal shows' }) }),
  c('curl-404', 'curl -f: HTTP 404', (w) => quiet`curl -sSf ${w.canned({ status: 404 })}`, { label: label('permanent', 'not_found', false) }),
];
