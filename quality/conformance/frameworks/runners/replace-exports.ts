/**
 * Owns the plugin that gives tests other exports of a module than the framework itself gets.
 *
 * Invariants
 * 1. Only imports by tests change. The way and the framework get the originals.
 * 2. What the way imports by name comes from the checkout.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan, RunEvent } from '../plan.ts';

interface Context {
  resolve(source: string, importer: string | undefined, options: object): Promise<{ readonly id: string } | null>;
}
interface Plugin {
  readonly name: string;
  readonly enforce: 'pre';
  resolveId(this: Context, source: string, importer: string | undefined): Promise<string | { readonly id: string } | null>;
  load(id: string): string | null;
}

const prefix = '\0holdfast-replaced:';

export function replaceExports({ root, files: [first = 'package.json'], way, replaces, importers, events }: Plan): Plugin {
  const names = new Map(replaces.map(({ module, names: each }) => [join(root, module), each]));
  const isTest = new RegExp(importers);
  return {
    name: 'holdfast-replace-exports',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (way === undefined || source.startsWith('\0')) return null;
      const [file = ''] = importer?.split('?') ?? [];
      if (file === way && !source.startsWith('.') && !source.startsWith('/'))
        return this.resolve(source, join(root, first), { skipSelf: true });
      if (!isTest.test(file) || file.startsWith(prefix)) return null;
      const resolved = await this.resolve(source, importer, { skipSelf: true });
      return resolved && names.has(resolved.id) ? `${prefix}${resolved.id}` : resolved;
    },
    load(id) {
      if (!id.startsWith(prefix)) return null;
      const module = id.slice(prefix.length);
      const replaced: RunEvent = { kind: 'replaced', module };
      appendFileSync(events, `${JSON.stringify(replaced)}\n`);
      const original = JSON.stringify(module);
      const exports = (names.get(module) ?? []).map((name) => `export const ${name} = way.${name}(original.${name});`);
      return [
        `import * as original from ${original};`,
        `import * as way from ${JSON.stringify(way)};`,
        `export * from ${original};`,
        ...exports,
      ].join('\n');
    },
  };
}
