/**
 * Who may import whom. The table below is the architecture; everything not listed is refused.
 * Packages are imported by name; tests may also use development dependencies.
 */

/** room → the rooms and the outside packages its `src` may import */
const table = {
  'packages/core': { rooms: [], vendors: [] },
  'packages/wire': { rooms: ['packages/core'], vendors: ['@cfworker'] },
  'packages/mcp-wire': { rooms: [], vendors: ['undici'] },
  'packages/runners': { rooms: ['packages/core', 'packages/mcp-wire'], vendors: ['undici', '@apidevtools'] },
  'packages/manifest': { rooms: ['packages/core', 'packages/runners', 'packages/simulate', 'packages/wire'], vendors: ['yaml'] },
  'packages/stores/sqlite': { rooms: ['packages/core'], vendors: [] },
  'packages/stores/postgres': { rooms: ['packages/core'], vendors: ['pg'] },
  'packages/telemetry': { rooms: ['packages/core'], vendors: ['@opentelemetry'] },
  'packages/durable': { rooms: ['packages/core'], vendors: ['@restatedev'] },
  'packages/provider-double': { rooms: [], vendors: [] },
  'packages/simulate': { rooms: ['packages/core', 'packages/what-if'], vendors: [] },
  'packages/what-if': { rooms: ['packages/core'], vendors: [] },
  'packages/adapters/kit': { rooms: ['packages/core', 'packages/wire', 'packages/provider-double'], vendors: [] },
  'packages/adapters/ai-sdk': { rooms: ['packages/adapters/kit', 'packages/core', 'packages/wire'], vendors: ['ai', '@ai-sdk'] },
  'packages/adapters/langchain': {
    rooms: ['packages/adapters/kit', 'packages/core', 'packages/wire'],
    vendors: ['@langchain', 'langchain'],
  },
  'packages/adapters/openai': { rooms: ['packages/adapters/kit', 'packages/core', 'packages/wire'], vendors: ['openai'] },
  'packages/adapters/anthropic': { rooms: ['packages/adapters/kit', 'packages/core', 'packages/wire'], vendors: ['@anthropic-ai'] },
  'packages/adapters/bedrock': { rooms: ['packages/adapters/kit', 'packages/core'], vendors: ['@aws-sdk'] },
  'packages/adapters/google-genai': { rooms: ['packages/adapters/kit', 'packages/core'], vendors: ['@google'] },
  'packages/adapters/openai-agents': { rooms: ['packages/adapters/kit', 'packages/core', 'packages/wire'], vendors: ['@openai'] },
  'packages/adapters/claude-agent-sdk': { rooms: ['packages/adapters/kit', 'packages/core'], vendors: ['@anthropic-ai'] },
  'packages/adapters/mastra': { rooms: ['packages/adapters/kit', 'packages/core'], vendors: ['@mastra'] },
  'packages/adapters/mcp': { rooms: ['packages/adapters/kit', 'packages/core', 'packages/wire'], vendors: ['@modelcontextprotocol'] },
};

/**
 * Inside the core: wing → the wings it may import. `index.ts` and the files of `testing/` may import every wing; `testing/` is imported by tests alone.
 */
const wings = {
  engine: [],
  projections: ['engine'],
  runtime: ['engine', 'projections'],
  agent: ['engine', 'projections', 'runtime'],
  replay: ['engine', 'projections', 'runtime'],
  standalone: ['engine', 'projections', 'runtime'],
  distributed: ['engine', 'projections', 'runtime', 'replay', 'standalone'],
};

const core = '^packages/core/src/';

const wingRules = Object.entries(wings).map(([wing, allowed]) => ({
  name: `wing-${wing}`,
  comment: `core/${wing} may import: ${allowed.join(', ') || 'no other wing'}`,
  severity: 'error',
  from: { path: `${core}${wing}/` },
  to: { path: core, pathNot: [wing, ...allowed].map((name) => `${core}${name}/`) },
}));

const anyRoom = '^(?:packages|apps|quality|examples)/';
const oneRoom = '^(packages/(?:stores/|adapters/)?[^/]+|apps/[^/]+|examples/[^/]+|quality/[^/]+)/';
const testing = '^packages/(?:stores/|adapters/)?[^/]+/src/testing/';
const apps = ['gateway', 'cli', 'dashboard', 'playground'];
const outside = ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-bundled', 'npm-no-pkg', 'npm-unknown'];

const roomRules = Object.entries(table).flatMap(([room, { rooms, vendors }]) => [
  {
    name: `rooms-of-${room}`,
    comment: `${room} may import: ${rooms.join(', ') || 'no other room'}`,
    severity: 'error',
    from: { path: `^${room}/src/` },
    to: { path: anyRoom, pathNot: [room, ...rooms].map((allowed) => `^${allowed}/src/`) },
  },
  {
    name: `vendors-of-${room}`,
    comment: `${room} may depend on: ${vendors.join(', ') || 'nothing from outside'}`,
    severity: 'error',
    from: { path: `^${room}/src/` },
    to: {
      dependencyTypes: outside,
      pathNot: [...vendors.map((vendor) => `(^|/)node_modules/${vendor}/`), anyRoom],
    },
  },
]);

export default {
  forbidden: [
    ...roomRules,
    ...wingRules,
    {
      name: 'every-wing-is-in-the-table',
      comment: 'A new folder of the core gets a line in the table of wings.',
      severity: 'error',
      from: { path: core, pathNot: `${core}(?:(?:${[...Object.keys(wings), 'testing'].join('|')})/|(?:index|internal)\\.ts$)` },
      to: {},
    },
    {
      name: 'core-without-node',
      comment: 'These run wherever ES2023 runs.',
      severity: 'error',
      from: { path: '^packages/(?:(?:core|wire)/src|provider-double/src/rules)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'every-package-is-in-the-table',
      comment: 'A new package needs a line in the table above.',
      severity: 'error',
      from: { path: '^packages/', pathNot: Object.keys(table).map((room) => `^${room}/`) },
      to: {},
    },
    {
      name: 'every-app-is-in-the-table',
      comment: 'A new app gets rules of its own below.',
      severity: 'error',
      from: { path: '^apps/', pathNot: `^apps/(?:${apps.join('|')})/` },
      to: {},
    },
    {
      name: 'gateway',
      comment: 'The gateway composes every package but the simulator, and no program.',
      severity: 'error',
      from: { path: '^apps/gateway/src/' },
      to: { path: [testing, '^packages/simulate/', '^apps/(?!gateway/)'] },
    },
    {
      name: 'gateway-without-the-lab',
      comment: 'No package that the gateway installs leads to the lab: docs/decisions/2026-11-23-what-if-apart.md.',
      severity: 'error',
      from: { path: '^apps/gateway/src/' },
      // Its entry points: `no-reaching-in` refuses other ways in.
      to: { path: '^packages/simulate/src/.*index\\.ts$', reachable: true },
    },
    {
      name: 'cli-without-dashboard',
      severity: 'error',
      from: { path: '^apps/cli/src/' },
      to: { path: '^apps/dashboard/' },
    },
    {
      name: 'dashboard-knows-the-contract-only',
      comment: 'It knows the contract, and the one reader of a turn, which is pure.',
      severity: 'error',
      from: { path: '^apps/dashboard/src/' },
      to: { path: ['^packages/(?!core/src/projections/turn/)', '^apps/(?!dashboard/|gateway/src/contract\\.ts$)'] },
    },
    {
      name: 'no-reaching-in',
      comment:
        'Another package is imported by its name, never by a path into its folder. The page of the adapters prints the results of the conformance runs too.',
      severity: 'error',
      from: { path: oneRoom, pathNot: '^quality/adapters/(?:main|pages)\\.ts$' },
      to: { path: anyRoom, pathNot: '^$1/', dependencyTypes: ['local'], dependencyTypesNot: ['aliased-workspace'] },
    },
    {
      name: 'as-a-user-would',
      comment: 'Everything in `quality/` and the examples see what is published, as a user would.',
      severity: 'error',
      from: { path: '^(?:quality|examples)/' },
      to: { path: '^(?:packages|apps)/', dependencyTypes: ['local'], dependencyTypesNot: ['aliased-workspace'] },
    },
    {
      name: 'internal-is-for-sister-packages',
      comment: '`@holdfast/core/internal` follows no version rule: nothing that shows how to use Holdfast may need it.',
      severity: 'error',
      from: { path: '^examples/' },
      to: { path: '^packages/core/src/(?:runtime/stores/|engine/plain/)?internal\\.ts$' },
    },
    {
      name: 'testing-is-for-tests',
      severity: 'error',
      from: { path: '^(?:packages|apps)/(?:stores/|adapters/)?[^/]+/src/', pathNot: testing },
      to: { path: testing },
    },
    { name: 'no-cycles', severity: 'error', from: { pathNot: '/dist/' }, to: { circular: true } },
    {
      name: 'declared',
      comment: 'The importing package.json declares what is imported.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^(?:packages|apps)/.*/dist/', '^quality/corpora/'] },
    combinedDependencies: true,
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@holdfast/source', 'import', 'types', 'node', 'default'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
