/** The code in the pages works: TypeScript compiles and runs, YAML is a manifest or a turn without mistakes. */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { formatProblem, parseManifest, parseTurn } from '@holdfast/manifest';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { allPages, fencesOf, root, type Fence } from './pages.ts';

const fences = allPages.flatMap(fencesOf);
/** `ts`: compiled and run. `ts compile`: only compiled, since it reaches for something that is not here. */
const typescript = fences.filter(({ info }) => info === 'ts' || info === 'ts compile');
/** Other packages' pages show fragments of programs. */
const isOurs = ({ page }: Fence): boolean => page === 'README.md' || page === 'packages/core/README.md' || page.startsWith('docs/');
const place = ({ page, line }: Fence): string => `${page}:${line}`;
const nameOf = (fence: Fence): string => `${place(fence).replaceAll(/[^a-zA-Z0-9]+/g, '-')}.ts`;

test('there are blocks to check', () => {
  expect(typescript.filter(isOurs).length).toBeGreaterThan(10);
});

test('TypeScript blocks compile', () => {
  const files = new Map(typescript.map((fence) => [join(root, 'docs', nameOf(fence)), `${fence.text}\nexport {};\n`]));
  const config = ts.readConfigFile(join(root, 'tsconfig.tests.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent({ ...(config.config as object), include: [], files: [] }, ts.sys, root);
  const compiler: ts.CompilerOptions = { ...options, incremental: false, noUnusedLocals: false, types: ['node'] };
  delete compiler.tsBuildInfoFile;
  const host = ts.createCompilerHost(compiler);
  host.readFile = (path) => files.get(path) ?? ts.sys.readFile(path);
  host.fileExists = (path) => files.has(path) || ts.sys.fileExists(path);
  host.getSourceFile = (path, languageVersion) => {
    const text = host.readFile(path);
    return text === undefined ? undefined : ts.createSourceFile(path, text, languageVersion);
  };
  const program = ts.createProgram([...files.keys()], compiler, host);
  const problems = [...files.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  });
  expect(
    problems.map(
      ({ file, messageText }) => `${file?.fileName.replace(root, '') ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    ),
  ).toEqual([]);
}, 180_000);

test('TypeScript blocks run', async () => {
  const folder = join(root, 'reports', 'docs-blocks');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const runnable = typescript.filter((fence) => isOurs(fence) && fence.info === 'ts');
  for (const fence of runnable) writeFileSync(join(folder, nameOf(fence)), fence.text);
  const steps = runnable.map(
    (fence) => `await step(${JSON.stringify(place(fence))}, () => import(${JSON.stringify(`./${nameOf(fence)}`)}));`,
  );
  const step =
    'async function step(place, run) { try { await run(); } catch (error) { console.error(place, error); process.exitCode = 1; } }';
  writeFileSync(join(folder, 'all.mjs'), [step, ...steps, 'process.exit();'].join('\n'));
  const { stderr } = await promisify(execFile)(process.execPath, ['--conditions=@holdfast/source', join(folder, 'all.mjs')], {
    cwd: folder,
  }).catch((error: { readonly stderr: string }) => error);
  expect(stderr).toBe('');
}, 120_000);

test.each(fences.filter((fence) => fence.info === 'yaml' && isOurs(fence)).map((fence) => [place(fence), fence] as const))(
  '%s is a manifest, or a turn that says so',
  (_place, { text }) => {
    const whole = /^tools:/m.test(text) ? text : `${text}\ntools: [{ id: stub, run: { module: ./stub.mjs } }]`;
    const { problems } = text.startsWith('# turn.yaml\n')
      ? parseTurn(text, { file: 'turn.yaml' })
      : parseManifest(whole, { file: 'holdfast.yaml', purpose: 'run' });
    expect(problems.filter(({ severity }) => severity === 'error').map((problem) => formatProblem(problem))).toEqual([]);
  },
);
