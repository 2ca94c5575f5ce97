/** Where a source can be left without being run: bodies of functions, branches, cases. */
import ts from 'typescript';

interface Block {
  readonly start: number;
  readonly end: number;
  /** Around what is run. */
  readonly before: string;
  readonly after: string;
}

/** A source that notes in `globalThis.reachedBlocks` which of its blocks run, by the names that `blockOf` gives. */
export function notingBlocks(file: string, text: string): string {
  const inserts = blocksIn(file, text).flatMap(({ start, end, before, after }, index) => {
    const note = `(globalThis.reachedBlocks ??= new Set()).add(${JSON.stringify(`${file}#${start}`)})`;
    return [
      { at: start, order: index, text: before.replace('NOTE', note) },
      { at: end, order: -index, text: after },
    ];
  });
  const whole = `;(globalThis.reachedBlocks ??= new Set()).add(${JSON.stringify(`${file}#0`)});`;
  return (
    inserts
      .filter(({ text: inserted }) => inserted !== '')
      // From the end, so that places before stay where they are; at one place, the outer block's text comes first.
      .toSorted((a, b) => b.at - a.at || b.order - a.order)
      .reduce((result, { at, text: inserted }) => result.slice(0, at) + inserted + result.slice(at), text) + whole
  );
}

/** The name of the smallest block around a place. */
export function blockOf(file: string, text: string, at: number): string {
  const around = blocksIn(file, text).filter(({ start, end }) => start <= at && at < end);
  return `${file}#${around.toSorted((a, b) => a.end - a.start - (b.end - b.start))[0]?.start ?? 0}`;
}

function blocksIn(file: string, text: string): readonly Block[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Block[] = [];
  const inside = (node: ts.Node, before: string, after: string): void => {
    found.push({ start: node.getStart(source), end: node.end, before, after });
  };
  const branch = (node: ts.Statement | undefined): void => {
    if (node && !ts.isBlock(node)) inside(node, '{ NOTE; ', ' }');
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isBlock(node)) found.push({ start: node.getStart(source) + 1, end: node.end - 1, before: 'NOTE;', after: '' });
    if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) inside(node.body, '(NOTE, ', ')');
    if (ts.isIfStatement(node)) for (const each of [node.thenStatement, node.elseStatement]) branch(each);
    if (ts.isForOfStatement(node) || ts.isForStatement(node) || ts.isWhileStatement(node)) branch(node.statement);
    const [first] = ts.isCaseOrDefaultClause(node) ? node.statements : [];
    if (first) found.push({ start: first.getStart(source), end: node.end, before: 'NOTE; ', after: '' });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
