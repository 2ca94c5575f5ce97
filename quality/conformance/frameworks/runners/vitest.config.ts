/** The configuration of the checkout's Vitest: its own, with a time limit, our reporter, and the exports that are replaced. The checkout's Vite loads this file. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plan } from '../plan.ts';
import { replaceExports } from './replace-exports.ts';

const plan = JSON.parse(readFileSync(String(process.env['HOLDFAST_FRAMEWORK_PLAN']), 'utf8')) as Plan;

interface Config {
  readonly test?: { readonly projects?: readonly Config[]; readonly name?: string; readonly setupFiles?: string | readonly string[] };
  readonly resolve?: { readonly alias?: unknown };
  readonly root?: string;
}
interface Vite {
  loadConfigFromFile(env: object, file: string, root: string): Promise<{ readonly config: Config } | null>;
  mergeConfig(first: object, second: object): object;
}

const vitest = createRequire(pathToFileURL(String(process.env['HOLDFAST_FRAMEWORK_RUNNER'])));
const vite = (await import(pathToFileURL(vitest.resolve('vite')).href)) as Vite;

/** The configuration of one project, without what runs the others. */
async function own(): Promise<Config> {
  if (plan.config === undefined) return {};
  const loaded = await vite.loadConfigFromFile({ mode: 'test', command: 'serve' }, plan.config, plan.root);
  const config = loaded?.config ?? {};
  if (plan.project === undefined) return config;
  const project = config.test?.projects?.find(({ test }) => test?.name === plan.project);
  if (!project) throw new Error(`The configuration has no project '${plan.project}'.`);
  return project;
}

const { way, replaces, sources, inline } = plan;
const isSetup = way !== undefined && replaces.length === 0;

export default vite.mergeConfig(await own(), {
  plugins: [replaceExports(plan)],
  root: plan.root,
  resolve: {
    alias: Object.entries(sources).map(([name, path]) => ({ find: new RegExp(`^${name}$`), replacement: path })),
  },
  // What one run has transformed is not for another.
  cacheDir: `${plan.events}.cache`,
  // The way is outside the checkout.
  server: { fs: { strict: false } },
  test: {
    root: plan.root,
    include: plan.files,
    testTimeout: plan.testTimeoutMs,
    hookTimeout: plan.testTimeoutMs,
    reporters: ['default', join(import.meta.dirname, 'vitest-reporter.ts')],
    typecheck: { enabled: false },
    coverage: { enabled: false },
    watch: false,
    fsModuleCache: false,
    maxWorkers: 2,
    minWorkers: 1,
    fileParallelism: true,
    setupFiles: isSetup ? [way] : [],
    server: { deps: { inline: [/holdfast-way/, ...inline.map((name) => new RegExp(`/node_modules/${name}/`))] } },
  },
});
