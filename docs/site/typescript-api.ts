/** Writes a page for each module of each published package, with TypeDoc. Run by `npm run site`; the pages are not in git. */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Application, type TypeDocOptions } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';
import { apiPages } from './api-pages.ts';
import { apiFolder } from './sources.ts';

const root = join(import.meta.dirname, '../..');

interface Module {
  /** `@holdfast/core/agent`. */
  readonly name: string;
  readonly source: string;
}

/** What a package exports for its users, from its sources. */
function modulesOf(folder: string): readonly Module[] {
  const { name, exports = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports?: Readonly<Record<string, string | { readonly '@holdfast/source'?: string }>>;
  };
  return Object.entries(exports).flatMap(([path, target]) => {
    const source = typeof target === 'object' ? target['@holdfast/source'] : undefined;
    if (source === undefined || path.startsWith('./internal')) return [];
    return [{ name: `${name}${path.slice(1)}`, source: join(folder, source) }];
  });
}

const folders = globSync(['packages/*/package.json', 'packages/*/*/package.json', 'apps/*/package.json'], {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
}).map((path) => dirname(path));

const modules = folders.flatMap(modulesOf).toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** Of every module that a package exports for its users. */
export const moduleNames: readonly string[] = modules.map(({ name }) => name);

/** Name of the page of a module, without ending: `core/agent`. */
const pageOf = (name: string): string => name.replace(/^@holdfast\//u, '');

const options: Partial<TypeDocOptions & PluginOptions> = {
  plugin: ['typedoc-plugin-markdown'],
  entryPoints: modules.map(({ source }) => join(root, source)),
  tsconfig: join(root, 'docs/site/tsconfig.api.json'),
  out: join(root, apiFolder),
  router: 'module',
  readme: 'none',
  disableSources: true,
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  skipErrorChecking: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  hidePageTitle: true,
  sort: ['kind', 'alphabetical'],
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  propertyMembersFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  tableColumnSettings: { hideModifiers: true },
  validation: false,
  logLevel: 'Warn',
};

rmSync(join(root, apiFolder), { recursive: true, force: true });
const app = await Application.bootstrapWithPlugins(options as Partial<TypeDocOptions>);
const project = await app.convert();
if (!project) throw new Error('TypeDoc could not read the sources.');
// TypeDoc names modules by their folders.
for (const child of project.children ?? []) {
  const module = modules.find(({ source }) => source.replace(/(?:\/index)?\.ts$/u, '') === child.name);
  if (!module) throw new Error(`TypeDoc found ${child.name}, which no package exports.`);
  child.name = pageOf(module.name);
}
await app.generateOutputs(project);

const printed = globSync(`${apiFolder}/**/*.md`, { cwd: root }).map((path) => ({ path, text: titled(path) }));
rmSync(join(root, apiFolder), { recursive: true, force: true });
for (const { path, text } of apiPages(printed, 'docs/specification.md')) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), `${text}\n`);
}

/** The text of a printed page under the name by which its module is imported. */
function titled(path: string): string {
  const name = path.slice(apiFolder.length + 1).replace(/(?:\/README)?\.md$/u, '');
  const text = readFileSync(join(root, path), 'utf8');
  if (name === 'README') return `# TypeScript API\n\n${text}`;
  const isModule = modules.some((module) => pageOf(module.name) === name);
  return `# ${isModule ? modules.find((module) => pageOf(module.name) === name)?.name : name}\n\n${text}`;
}
