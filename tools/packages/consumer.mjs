/**
 * Uses the packed packages as a project of their own would: in an empty folder, each package sees only what its package.json names, and the README's first example is
 * compiled under strict, as an ES module and as CommonJS, and run on every supported version of Node. What a README installs from others is this repository's copy.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { fileNameOf } from './published.mjs';

const nodes = ['node-22', 'node'].map((name) => resolve('node_modules', name, 'bin/node')).filter((path) => existsSync(path));

/** The folder of a dependency, as a package of this repository finds it. */
function folderOf(name, from) {
  for (let at = resolve(from); at !== dirname(at); at = dirname(at)) {
    const path = join(at, 'node_modules', name);
    if (existsSync(path)) return realpathSync(path);
  }
  return undefined;
}

function link(target, path) {
  if (target === undefined || existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

/** Unpacks a package, and puts beside it what its package.json names from other projects. */
function install(each, tarball, modules, own) {
  const home = join(modules, each.name);
  mkdirSync(home, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', home, '--strip-components=1']);
  const foreign = Object.keys({ ...each.dependencies, ...each.peerDependencies }).filter((name) => !own.has(name));
  for (const name of foreign) link(folderOf(name, each.folder), join(home, 'node_modules', name));
}

/** The first TypeScript example of a README, and the packages that its lines install. */
function exampleOf({ folder }) {
  const text = readFileSync(`${folder}/README.md`, 'utf8');
  const [, code] = /^```ts(?: compile)?\n([\s\S]*?)^```$/mu.exec(text) ?? [];
  const installed = [...text.matchAll(/^ {4}npm install (.*)$/gmu)].flatMap(([, names]) =>
    names.split(' ').filter((name) => !name.startsWith('-')),
  );
  return { code, installed };
}

/**
 * The declarations of LangChain for CommonJS and for ES modules are different types, and Holdfast's are those of ES modules. The guide says so.
 */
const onlyModules = ({ name, code }) => name === '@holdfast/langchain' || code.includes('import.meta');

const isDeclaration = (statement) =>
  ts.isImportDeclaration(statement) || (statement.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword);

/** CommonJS has no top-level `await`: statements become the body of a function. */
function asFunction(code) {
  const statements = ts.createSourceFile('example.ts', code, ts.ScriptTarget.Latest).statements;
  const textOf = (some) => some.map(({ pos, end }) => code.slice(pos, end)).join('');
  return `${textOf(statements.filter(isDeclaration))}\nasync function main() {${textOf(statements.filter((each) => !isDeclaration(each)))}\n}\nvoid main();\n`;
}

const configuration = {
  compilerOptions: {
    strict: true,
    module: 'nodenext',
    target: 'es2023',
    skipLibCheck: true,
    types: ['node'],
    noEmitOnError: true,
    outDir: 'out',
  },
  include: ['*.mts', '*.cts'],
};

const run = (program, args, cwd) => execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const failureOf = (what, act) => {
  try {
    act();
    return [];
  } catch (error) {
    return [`${what}: ${String(error.stdout ?? '')}${String(error.stderr ?? error.message)}`.trim()];
  }
};

const packageOf = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** Only the example of the library needs nothing but the library. For the others it is enough that what they import loads. */
function programOf({ name, code, file, kind, own }) {
  if (name === '@holdfast/core') return join('out', `${file}.${kind}`);
  const imported = [...code.matchAll(/ from '([^']+)'/gu)]
    .map(([, specifier]) => specifier)
    .filter((specifier) => own.has(packageOf(specifier)));
  const load = kind === 'mjs' ? 'await import' : 'require';
  return [
    '--input-type',
    kind === 'mjs' ? 'module' : 'commonjs',
    '--eval',
    imported.map((each) => `${load}(${JSON.stringify(each)});`).join('\n'),
  ];
}

/** The first commands of the gateway's README. */
function useCommands(node, folder) {
  const project = mkdtempSync(join(folder, 'demo-'));
  const command = join(folder, 'node_modules/holdfast/bin/holdfast.mjs');
  run(node, [command, 'init', project], folder);
  run(node, [command, 'run', 'turn.yaml'], project);
}

/** What does not work in a project that installs the packages from their tarballs. */
export function problemsOfConsumer(packages, tarballOf, folder) {
  const own = new Set(packages.map(({ name }) => name));
  const modules = join(folder, 'node_modules');
  for (const each of packages) install(each, tarballOf(each), modules, own);
  link(folderOf('@types/node', '.'), join(modules, '@types/node'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(configuration));

  const examples = packages
    .map((each) => ({ ...each, ...exampleOf(each), file: fileNameOf(each.name), own }))
    .filter(({ code }) => code !== undefined);
  for (const example of examples) {
    for (const name of example.installed.filter((one) => !own.has(one))) link(folderOf(name, example.folder), join(modules, name));
    writeFileSync(join(folder, `${example.file}.mts`), `${example.code}\nexport {};\n`);
    if (!onlyModules(example)) writeFileSync(join(folder, `${example.file}.cts`), asFunction(example.code));
  }
  const problems = failureOf('examples', () => run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', '.'], folder));
  if (problems.length > 0) return problems;

  return nodes.flatMap((node) => [
    ...examples.flatMap((example) =>
      ['mjs', 'cjs'].flatMap((kind) =>
        failureOf(`${example.name} as .${kind} on ${node}`, () => run(node, [programOf({ ...example, kind })].flat(), folder)),
      ),
    ),
    ...failureOf(`holdfast on ${node}`, () => useCommands(node, folder)),
  ]);
}
