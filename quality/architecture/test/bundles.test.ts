/** What the bundle of an adapter may hold: the repair of its own format, and the reading and checking of arguments where its framework does neither. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');

/** The modules of a bundle that have code in it, by their path in `packages`. */
async function modulesOf(adapter: string): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: join(root, 'packages'),
    entryPoints: [join(root, 'packages/adapters', adapter, 'src/index.ts')],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2024',
    conditions: ['@holdfast/source'],
    mainFields: ['module', 'main'],
    logLevel: 'silent',
    plugins: [
      {
        name: 'vendors stay outside',
        setup: (given) =>
          given.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === 'entry-point' || path.startsWith('@holdfast/') ? undefined : { path, external: true },
          ),
      },
    ],
  });
  const [output] = Object.values(metafile.outputs);
  return Object.entries(output?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? path : []));
}

const formats = ['ai-sdk', 'anthropic-messages', 'bedrock-converse', 'gemini', 'openai-chat', 'openai-responses'];

const adapters: readonly (readonly [adapter: string, formats: readonly string[], parsed: boolean])[] = [
  ['ai-sdk', ['ai-sdk'], false],
  ['anthropic', ['anthropic-messages'], false],
  ['bedrock', ['bedrock-converse'], false],
  ['claude-agent-sdk', [], true],
  ['google-genai', ['gemini'], false],
  ['langchain', ['openai-chat'], false],
  ['mastra', ['ai-sdk'], true],
  ['mcp', [], false],
  ['openai', ['openai-chat', 'openai-responses'], false],
  ['openai-agents', ['openai-responses'], false],
];

/** Adapters that repair whole requests, with the definitions of tools. */
const whole: ReadonlySet<string> = new Set(['anthropic', 'bedrock']);

describe.each(adapters)('the bundle of %s', (adapter, own, parsed) => {
  it('holds the repair of its own format, and no part that its framework makes unnecessary', async () => {
    const modules = await modulesOf(adapter);
    for (const part of ['codec.ts', 'repair.ts'])
      expect(formats.filter((format) => modules.includes(`wire/src/formats/${format}/${part}`))).toEqual(own);
    expect(formats.filter((format) => modules.includes(`wire/src/profiles/${format}.ts`))).toEqual(own);
    expect(modules.some((path) => path.includes('gemini'))).toBe(own.includes('gemini'));
    expect(modules.some((path) => path.startsWith('wire/src/repair/'))).toBe(own.length > 0);
    for (const part of ['arguments/read-arguments.ts', 'schema/compile-schema.ts', 'schema/walk/walker.ts'])
      expect(modules.includes(`wire/src/${part}`)).toBe(!parsed);
    for (const part of ['stream/', 'responses/', 'fetch/', 'faults/', ...(whole.has(adapter) ? [] : ['definitions/'])])
      expect(modules.filter((path) => path.startsWith(`wire/src/${part}`))).toEqual([]);
    for (const part of [
      'replay/',
      'runtime/drivers/virtual/',
      'standalone/',
      'distributed/',
      'testing/',
      'projections/alerts/',
      'projections/metrics/',
    ])
      expect(modules.filter((path) => path.startsWith(`core/src/${part}`))).toEqual([]);
  });
});
