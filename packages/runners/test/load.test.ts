import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const program = `
import { registerHooks } from 'node:module';
const seen = [];
registerHooks({ resolve: (specifier, context, next) => (seen.push(specifier), next(specifier, context)) });
const heavy = () => ['undici', 'undici/lib/dispatcher/agent.js', '@holdfast/mcp-wire/client'].filter((name) => seen.includes(name));
const { httpRunner, mcpServer } = await import(${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)});
const http = httpRunner({ url: 'http://127.0.0.1:1/' });
const mcp = mcpServer({ command: 'true' }).tool('any');
const loaded = [heavy()];
await http.load();
loaded.push(heavy());
await mcp.load();
loaded.push(heavy());
await Promise.all([http.close(), mcp.close()]);
console.log(JSON.stringify(loaded));
`;

/** The used part of undici; the rest is never loaded. */
const agent = 'undici/lib/dispatcher/agent.js';

test('clients are loaded on demand, not with the package', () => {
  const printed = execFileSync(process.execPath, ['--conditions=@holdfast/source', '--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  expect(JSON.parse(printed)).toEqual([[], [agent], [agent, '@holdfast/mcp-wire/client']]);
});
