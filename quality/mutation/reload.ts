/**
 * For folders whose sources keep state: tests import them through a module of live bindings, which are bound to sources that are loaded again for
 * every mutant. In the first run, which finds out which test reaches what, they are loaded again for every test: a cache that only the first test fills
 * is reached by all tests that read it. The same holds for code that runs while a file loads.
 */
import { readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes, type LoadHookSync, type ResolveHookSync } from 'node:module';

type Exports = Readonly<Record<string, unknown>>;

/** The tool's data in the global object. */
interface Stryker {
  activeMutant?: string;
  mutantCoverage?: {
    readonly static: Record<string, number>;
    readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
}

interface Live {
  readonly url: string;
  readonly bind: (exports: Exports) => void;
}

const requireNow = createRequire(import.meta.url);
const texts = new Map<string, string>();
const stryker = (): Stryker => (Reflect.get(globalThis, '__stryker__') as Stryker | undefined) ?? {};

const isSource = (url: string): boolean => url.includes('/packages/core/src/');
const isLoad = (url: string): boolean => /\?load=\d+$/.test(url);

/** An import from a test resolves to the live bindings, an import from a source to the source of its own load. */
export const resolveLoads: ResolveHookSync = (name, context, next) => {
  const found = next(name, context);
  const parent = context.parentURL ?? '';
  if (!isSource(found.url) || found.url.includes('?')) return found;
  if (isLoad(parent)) return { ...found, url: found.url + parent.slice(parent.indexOf('?')) };
  return parent.includes('/packages/core/test/') ? { ...found, url: `${found.url}?live` } : found;
};

export const loadLoads: LoadHookSync = (url, context, next) => {
  const [plain = url] = url.split('?');
  if (isSource(url) && url.endsWith('?live')) return { format: 'module', source: liveModule(plain), shortCircuit: true };
  if (!isLoad(url)) return next(url, context);
  const known = texts.get(plain) ?? stripTypeScriptTypes(readFileSync(new URL(plain), 'utf8'));
  texts.set(plain, known);
  return { format: 'module', source: known, shortCircuit: true };
};

function liveModule(url: string): string {
  const names = Object.keys(requireNow(new URL(url).pathname) as Exports);
  return [
    `import { live } from ${JSON.stringify(import.meta.url)};`,
    `import * as first from ${JSON.stringify(`${url}?load=0`)};`,
    ...names.map((name) => `export let ${name} = first.${name};`),
    `live.push({ url: ${JSON.stringify(url)}, bind: (exports) => { ${names.map((name) => `${name} = exports.${name};`).join(' ')} } });`,
  ].join('\n');
}

/** The modules that tests hold. @public imported by the modules that `liveModule` makes */
export const live: Live[] = [];

let loads = 0;
let mutant: string | undefined;

/** Before each test: reloads the modules that tests hold, unless it was done for this mutant. */
export async function reload(): Promise<void> {
  const { activeMutant } = stryker();
  if (activeMutant !== undefined && activeMutant === mutant) return;
  mutant = activeMutant;
  loads += 1;
  for (const { url, bind } of live) bind((await import(`${url}?load=${String(loads)}`)) as Exports);
}

/** After all tests: code that loads again for each test is reached by that test, including tables, which were first computed before any test. */
export function forgetFirstLoad(): void {
  const { mutantCoverage } = stryker();
  if (mutantCoverage === undefined) return;
  for (const reached of Object.values(mutantCoverage.perTest)) for (const id of Object.keys(reached)) delete mutantCoverage.static[id];
}
