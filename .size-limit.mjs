import { existsSync, readFileSync } from 'node:fs';

/** gzip of the minified bundle. A limit is what the bundle takes today and a little; raising one is a decision. */
const core = 'packages/core/dist/index.js';

/** What a browser loads before the first screen of the dashboard stands: all that its page names. */
const dashboard = 'apps/dashboard/dist';
const page = `${dashboard}/index.html`;
if (!existsSync(page)) throw new Error('The dashboard is not built: npm run build:dashboard');
const firstLoad = [...readFileSync(page, 'utf8').matchAll(/(?:src|href)="\/(assets\/[^"]+)"/gu)].map(([, name]) => `${dashboard}/${name}`);
const ofDashboard = (name, ending, limit) => ({
  name,
  path: firstLoad.filter((file) => file.endsWith(ending)),
  disablePlugins: ['@size-limit/esbuild'],
  gzip: true,
  limit,
});

export default [
  ofDashboard('dashboard, scripts of the first screen', '.js', '180 kB'),
  ofDashboard('dashboard, styles of the first screen', '.css', '20 kB'),
  { name: '@holdfast/core, everything', path: core, gzip: true, limit: '86 kB' },
  {
    name: '@holdfast/core/standalone, retry and circuit breaker',
    path: 'packages/core/dist/standalone/index.js',
    import: '{ retry, circuitBreaker }',
    gzip: true,
    limit: '9.2 kB',
  },
  { name: '@holdfast/core/agent, with the whole engine', path: 'packages/core/dist/agent/index.js', gzip: true, limit: '101.1 kB' },
  { name: '@holdfast/core/replay', path: 'packages/core/dist/replay/index.js', gzip: true, limit: '55.6 kB' },
  { name: '@holdfast/core/metrics', path: 'packages/core/dist/projections/metrics/index.js', gzip: true, limit: '9.6 kB' },
];
