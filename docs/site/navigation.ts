/** Owns the order of the pages. The title of an entry is the title of its page, unless a shorter one is given. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';
import { apiFolder, sitePath } from './sources.ts';

const root = join(import.meta.dirname, '../..');

type Entry = string | readonly [path: string, title: string];

function titleOf(path: string): string {
  return /^# (.+)$/mu.exec(readFileSync(join(root, path), 'utf8'))?.[1]?.replaceAll('`', '') ?? path;
}

interface Group {
  readonly text: string;
  readonly entries: readonly Entry[];
}

const ownAdapter = 'docs/guide/adapters/your-own.md';

/** One guide per framework, by its name. */
const adapters: readonly Entry[] = globSync('docs/guide/adapters/*.md', { cwd: root })
  .filter((path) => path !== ownAdapter)
  .map((path): [string, string] => [path, titleOf(path).replace('Adapter: ', '')])
  .toSorted(([, one], [, other]) => (one < other ? -1 : 1));

const start: readonly Group[] = [
  {
    text: 'Start',
    entries: [
      ['docs/README.md', 'Overview'],
      'docs/why.md',
      'docs/start/library.md',
      'docs/start/framework.md',
      'docs/start/gateway.md',
      'docs/start/one-server.md',
      'docs/start/durable.md',
    ],
  },
  {
    text: 'How to',
    entries: [
      'docs/how-to/slow-tool.md',
      'docs/how-to/rate-limited-tool.md',
      'docs/how-to/called-twice.md',
      'docs/how-to/test-failures.md',
      'docs/faq.md',
    ],
  },
];

const guides: readonly Group[] = [
  {
    text: 'Library',
    entries: [
      'docs/guide/retry-and-breaker.md',
      'docs/guide/guard-fetch.md',
      'docs/guide/provider-double.md',
      ['docs/guide/moving-from.md', 'Migration'],
    ],
  },
  {
    text: 'Frameworks',
    entries: [...adapters, ownAdapter],
  },
  {
    text: 'Gateway',
    entries: [
      'docs/guide/gateway.md',
      'docs/guide/gateway-manifest.md',
      'docs/guide/gateway-hosts.md',
      'docs/guide/dashboard.md',
      'docs/guide/turn-api.md',
    ],
  },
  {
    text: 'Command line',
    entries: ['docs/guide/cli.md', 'docs/guide/simulate.md', 'docs/guide/playground.md', 'docs/guide/what-if.md', 'docs/guide/tune.md'],
  },
  {
    text: 'Operation',
    entries: [
      'docs/guide/production.md',
      ['docs/guide/durable-turns.md', 'Durable turns'],
      'docs/guide/worker.md',
      'docs/guide/postgres.md',
      'docs/guide/opentelemetry.md',
      'docs/guide/prometheus-and-grafana.md',
      'docs/guide/alert-receivers.md',
      ['docs/guide/cost-model.md', 'Capacity planning'],
    ],
  },
];

const concepts: readonly Group[] = [
  { text: 'Overview', entries: ['docs/concepts/life-of-a-call.md', 'docs/concepts/life-of-a-turn.md', 'docs/concepts/glossary.md'] },
  {
    text: 'A call',
    entries: [
      'docs/concepts/classification.md',
      'docs/concepts/retry.md',
      'docs/concepts/circuit-breaker.md',
      'docs/concepts/admission.md',
      'docs/concepts/timeouts-and-cancellation.md',
      'docs/concepts/alternatives-and-fallbacks.md',
      'docs/concepts/error-handler.md',
      'docs/concepts/profiles.md',
      'docs/concepts/adaptive.md',
      'docs/concepts/runners.md',
    ],
  },
  {
    text: 'Turns and agents',
    entries: [
      'docs/concepts/turns-and-cascades.md',
      'docs/concepts/agent-run.md',
      'docs/concepts/session.md',
      'docs/concepts/arguments.md',
      'docs/concepts/validation-retries.md',
      'docs/concepts/transcripts.md',
    ],
  },
  {
    text: 'Traces and metrics',
    entries: [
      'docs/concepts/trace-and-replay.md',
      'docs/concepts/history.md',
      'docs/concepts/metrics.md',
      'docs/concepts/alerts.md',
      'docs/concepts/redaction.md',
      'docs/concepts/stores.md',
    ],
  },
  { text: 'Several processes', entries: ['docs/concepts/shared-circuits.md', 'docs/concepts/durable-turns.md'] },
];

const reference: readonly Group[] = [
  {
    text: 'Reference',
    entries: [
      'docs/reference/error-codes.md',
      'docs/reference/metrics.md',
      'docs/reference/telemetry.md',
      'docs/reference/repair-rules.md',
      'docs/specification.md',
    ],
  },
  { text: 'Options', entries: group('options', ['service', 'agent', 'observability', 'stores', 'processes', 'standalone']) },
  {
    text: 'Manifest',
    entries: group('manifest', ['tools', 'policy', 'servers', 'gateway', 'stores-and-engine', 'alerts', 'turn-file', 'world-file']),
  },
  { text: 'Turn API', entries: group('api', ['turns', 'tools', 'alerts', 'operation', 'shapes']) },
  { text: 'Trace events', entries: group('events', ['turns', 'calls', 'decisions', 'circuits', 'agent']) },
];

const project: readonly Group[] = [
  {
    text: 'Project',
    entries: [
      'docs/comparison.md',
      'docs/conformance.md',
      ['docs/adapters.md', 'Frameworks with and without'],
      ['quality/bench/README.md', 'Benchmarks'],
      ['docs/lab/README.md', 'Simulated outages'],
      'docs/quality.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
    ],
  },
];

function group(name: string, parts: readonly string[]): readonly Entry[] {
  return [[`docs/reference/${name}.md`, 'Overview'], ...parts.map((part) => `docs/reference/${name}/${part}.md`)];
}

const areas = { start, guides, concepts, reference, project } as const;

/** Every page that the sidebar names. */
export const listed: readonly string[] = Object.values(areas).flatMap((groups) =>
  groups.flatMap(({ entries }) => entries.map((entry) => (typeof entry === 'string' ? entry : entry[0]))),
);

const linkTo = (path: string): string =>
  `/${sitePath(path)
    .replace(/index\.md$/u, '')
    .replace(/\.md$/u, '')}`;

const items = (groups: readonly Group[]): DefaultTheme.SidebarItem[] =>
  groups.map(({ text, entries }) => ({
    text,
    items: entries.map((entry) => {
      const [path, title] = typeof entry === 'string' ? [entry, titleOf(entry)] : entry;
      return { text: title, link: linkTo(path) };
    }),
  }));

/** The modules of the TypeScript API that have been written. */
export const apiItems = (sources: readonly string[]): readonly DefaultTheme.SidebarItem[] =>
  sources
    .filter((path) => path.startsWith(`${apiFolder}/`) && !/\/\d+\.md$|\/namespaces\//u.test(path))
    .toSorted()
    .map((path) => ({ text: path.endsWith(`${apiFolder}/README.md`) ? 'Overview' : titleOf(path), link: linkTo(path) }));

export const navigation: readonly DefaultTheme.NavItem[] = [
  { text: 'Start', link: linkTo('docs/start/library.md') },
  { text: 'Guides', link: linkTo('docs/guide/gateway.md') },
  { text: 'Concepts', link: linkTo('docs/concepts/life-of-a-call.md') },
  { text: 'Reference', link: linkTo('docs/reference/options.md') },
  // A page of its own, built beside the others; the site's router must not look for it.
  { text: 'Playground', link: '/playground/', target: '_self' },
  { text: 'Project', link: linkTo('docs/comparison.md') },
];

/** One sidebar per area, by the first folder of an address. */
export const sidebar = (apiPages: readonly DefaultTheme.SidebarItem[]): DefaultTheme.SidebarMulti => ({
  '/guide/': items(guides),
  '/concepts/': items(concepts),
  '/reference/': [...items(reference), { text: 'TypeScript', collapsed: true, items: [...apiPages] }],
  '/lab/': items(project),
  '/benchmarks/': items(project),
  '/packages/': items(project),
  '/decisions/': items(project),
  '/comparison': items(project),
  '/conformance': items(project),
  '/adapters': items(project),
  '/quality': items(project),
  '/acceptance': items(project),
  '/changelog': items(project),
  '/contributing': items(project),
  '/specification': items(reference),
  '/': items(start),
});
