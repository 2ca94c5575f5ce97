/** What the gateway loads at its start: each part that it does not need costs every gateway its memory. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test("the gateway loads neither Node's fetch nor the clients of databases, engines and HTTP servers", () => {
  const entry = join(import.meta.dirname, '../../src/index.ts');
  const program = `
    const { registerHooks } = await import('node:module');
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    await import(${JSON.stringify(entry)});
    const packages = loaded.map((url) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]).filter((name) => name !== undefined);
    console.log(JSON.stringify({ packages: [...new Set(packages)], builtin: process.moduleLoadList }));`;
  const options = ['--conditions=@holdfast/source', '--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  const { packages, builtin } = JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' })) as {
    readonly packages: readonly string[];
    readonly builtin: readonly string[];
  };
  expect(builtin).toContain('NativeModule http');
  expect(builtin).not.toContain('NativeModule internal/deps/undici/undici');
  expect(packages).toContain('yaml');
  expect(packages.filter((name) => ['pg', 'undici', 'hono', 'zod', '@restatedev/restate-sdk', 'jose'].includes(name))).toEqual([]);
});
