import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/** Tests read the TypeScript sources of the workspace, so no build is needed first. */
const conditions: readonly string[] = ['@holdfast/source'];
const sources = {
  resolve: { conditions: [...conditions] },
  ssr: { resolve: { conditions: [...conditions, 'node'] } },
};

const subfolders = (parent: string): readonly string[] =>
  existsSync(parent)
    ? readdirSync(parent, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => `${parent}/${entry.name}`)
    : [];

const workspaces: readonly string[] = [
  ...subfolders('packages'),
  ...subfolders('apps'),
  ...subfolders('examples'),
  ...subfolders('quality'),
  'docs',
].filter((folder) => existsSync(`${folder}/package.json`));

/** Folders whose tests are one project: what each worker would load again for each folder takes longer than their tests. */
const together: Readonly<Record<string, readonly string[]>> = {
  adapters: subfolders('packages/adapters'),
  audits: ['quality/architecture', 'quality/bench', 'quality/figures'],
  data: ['packages/manifest', 'packages/provider-double', 'packages/simulate', 'packages/what-if', 'packages/wire'],
  stores: subfolders('packages/stores'),
};

const nameOf = (folder: string): string => folder.replace(/^(packages|apps|quality)\//, '');

const alone = workspaces.filter((folder) => folder !== 'packages/core' && !Object.values(together).flat().includes(folder));

/** A busy machine takes seconds for what takes a moment; what hangs is still found. */
const timeouts = { testTimeout: 30_000, hookTimeout: 30_000 } as const;

/**
 * One root for all: what is compiled for one project is there for the next. Files of a project share a process, since starting one for each takes longer than most
 * of them: a file leaves nothing behind that another would see.
 */
const project = (name: string, folders: readonly string[]): TestProjectInlineConfiguration => ({
  ...sources,
  test: {
    name,
    setupFiles: folders
      .map((folder) => join(import.meta.dirname, folder, 'support/observe-all.setup.ts'))
      .filter((file) => existsSync(file)),
    root: '.',
    include: folders.map((folder) => `${folder}/**/*.test.ts`),
    exclude: ['**/node_modules/**', ...folders.map((folder) => `${folder}/dist/**`)],
    ...timeouts,
    isolate: false,
  },
});

/** The core's own tests run where the clock, randomness, timers and the network throw. */
const pureCore: TestProjectInlineConfiguration = {
  ...sources,
  test: {
    name: 'core',
    root: '.',
    include: ['packages/core/test/**/*.test.ts'],
    exclude: ['packages/core/test/portability/**'],
    ...timeouts,
    setupFiles: [join(import.meta.dirname, 'packages/core/test/pure.setup.ts')],
    // Nothing in the core outlives a call, so its files share a process: a hundred starts less.
    isolate: false,
  },
};

/** The same core, bundled and run on other engines. */
const portability: TestProjectInlineConfiguration = {
  ...sources,
  test: {
    name: 'portability',
    root: '.',
    include: ['packages/core/test/portability/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
};

/** The acceptance tests that run turns, unchanged, with every turn over a journal; `quality/acceptance/README.md` says which fit. */
const durableAcceptance: TestProjectInlineConfiguration = {
  ...sources,
  test: {
    name: 'acceptance-durable',
    root: '.',
    include: ['1-*', '4-timeouts', '5-*', '6-*', '7-*', 'execution-service', 'tool-error-handling'].map(
      (name) => `quality/acceptance/${name}.test.ts`,
    ),
    env: { ACCEPTANCE_DRIVER: 'journal' },
    // One after the other in one process: what they share is read once.
    isolate: false,
    ...timeouts,
  },
};

interface Condition {
  readonly id: string;
  readonly title: string;
}

/** A test names its condition by tag; a tag that is not listed here fails the run. */
const tags = (): { name: string; description: string }[] => {
  const list = 'quality/acceptance/conditions.json';
  if (!existsSync(list)) return [];
  const known = JSON.parse(readFileSync(list, 'utf8')) as readonly Condition[];
  return known.map(({ id, title }) => ({ name: id, description: title }));
};

export default defineConfig({
  test: {
    projects: [
      pureCore,
      portability,
      durableAcceptance,
      ...Object.entries(together).map(([name, folders]) => project(name, folders)),
      ...alone.map((folder) => project(nameOf(folder), [folder])),
    ],
    tags: tags(),
    strictTags: true,
    passWithNoTests: true,
    // Tests that wait for processes and servers leave a core idle: two workers more than the two cores of a small machine, and fewer tests at once in each.
    maxWorkers: 4,
    maxConcurrency: 4,
    // Tests start many programs of the workspace: each is compiled once.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compile') },
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }], './quality/acceptance/ledger-reporter.ts'],
  },
});
