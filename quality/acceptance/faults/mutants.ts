/** Small edits that a program can make: random faults. */
import ts from 'typescript';
import { editsOf } from './edits.ts';

export interface Mutant {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** All mutants of a source, in the order of its nodes. */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = new Map<string, Mutant>();
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    for (const { start, end, after } of editsOf(node, source)) {
      const before = text.slice(start, end);
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      if (before !== after) found.set(`${start} ${end} ${after}`, { file, line, start, end, before, after });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found.values()];
}

export const mutated = (text: string, { start, end, after }: Mutant): string => text.slice(0, start) + after + text.slice(end);

/** The lines that differ, as a diff shows them. */
export function diffOf(text: string, mutant: Mutant): string {
  const first = text.lastIndexOf('\n', mutant.start - 1) + 1;
  const next = text.indexOf('\n', mutant.end);
  const last = next < 0 ? text.length : next;
  const now = mutated(text, mutant).slice(first, last + mutant.after.length - mutant.before.length);
  const lines = (part: string, sign: string): readonly string[] =>
    part
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => `${sign} ${line}`);
  return [...lines(text.slice(first, last), '-'), ...lines(now, '+')].join('\n');
}
