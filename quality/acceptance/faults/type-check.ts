/** Says whether TypeScript takes a source in place of the one in the repository: a fault that it refuses is no fault that could be shipped. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Names that are no longer used, and code that is never reached, are matters of style. */
const style: ReadonlySet<number> = new Set([6133, 6138, 6192, 6196, 6198, 6199, 7027]);

/** @param files that may be replaced, from the root */
export function createTypeCheck(root: string, files: readonly string[]): (file: string, text: string) => boolean {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), (path) => readFileSync(path, 'utf8')) as {
    config: { compilerOptions: object };
  };
  const settings = { ...config.compilerOptions, lib: ['ES2023', 'DOM'], types: ['node'], composite: false, isolatedDeclarations: false };
  const { options } = ts.convertCompilerOptionsFromJson(settings, root);
  const replaced = new Map<string, { readonly text: string; readonly version: number }>();
  let version = 0;
  const textOf = (path: string): string | undefined => replaced.get(path)?.text ?? ts.sys.readFile(path);
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({ ...options, noEmit: true, declaration: false, declarationMap: false, sourceMap: false }),
    getScriptFileNames: () => files.map((file) => join(root, file)),
    getScriptVersion: (path) => String(replaced.get(path)?.version ?? 0),
    getScriptSnapshot: (path) => {
      const text = textOf(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (settingsOfLib) => ts.getDefaultLibFilePath(settingsOfLib),
    fileExists: (path) => ts.sys.fileExists(path),
    readFile: textOf,
    realpath: (path) => ts.sys.realpath?.(path) ?? path,
    directoryExists: (path) => ts.sys.directoryExists(path),
    getDirectories: (path) => ts.sys.getDirectories(path),
  });
  const problemsOf = (path: string): number =>
    [...service.getSyntacticDiagnostics(path), ...service.getSemanticDiagnostics(path)].filter(({ code }) => !style.has(code)).length;
  return (file, text) => {
    const path = join(root, file);
    version += 1;
    replaced.set(path, { text, version });
    const problems = problemsOf(path);
    replaced.delete(path);
    return problems === 0;
  };
}
