/** gzip of the minified bundle. 25 kB is the goal for everything. */
const core = 'packages/core/dist/index.js';

export default [
  { name: '@holdfast/core, everything', path: core, gzip: true, limit: '61 kB' },
  { name: '@holdfast/core, retry and circuit breaker alone', path: core, import: '{ retry, circuitBreaker }', gzip: true, limit: '8 kB' },
  { name: '@holdfast/core/agent, with the whole engine', path: 'packages/core/dist/agent/index.js', gzip: true, limit: '70 kB' },
  { name: '@holdfast/core/replay', path: 'packages/core/dist/replay/index.js', gzip: true, limit: '35 kB' },
  { name: '@holdfast/core/metrics', path: 'packages/core/dist/metrics/index.js', gzip: true, limit: '9 kB' },
];
