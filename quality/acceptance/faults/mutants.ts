/** Small edits that a program can make: the faults of a sample that nobody chose. */
import ts from 'typescript';

export interface Mutant {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

const operators: ReadonlyMap<string, readonly string[]> = new Map([
  ['<', ['<=']],
  ['<=', ['<']],
  ['>', ['>=']],
  ['>=', ['>']],
  ['===', ['!==']],
  ['!==', ['===']],
  ['&&', ['||']],
  ['||', ['&&']],
  ['+', ['-']],
  ['-', ['+']],
  ['*', ['/']],
  ['/', ['*']],
  ['+=', ['-=']],
  ['-=', ['+=']],
  ['??=', ['=']],
]);

const methods: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  find: 'findLast',
  findLast: 'find',
  indexOf: 'lastIndexOf',
  startsWith: 'endsWith',
  push: 'unshift',
  shift: 'pop',
};

/** Words of which one may stand where another does. */
const words: readonly (readonly string[])[] = [
  ['transient', 'permanent', 'neutral', 'success'],
  ['closed', 'open', 'half_open'],
  ['retry', 'use_alternative', 'use_default', 'accept_partial', 'skip', 'escalate', 'fail'],
  ['attempts', 'budget', 'deadline', 'circuit', 'policy'],
  ['success', 'error', 'timeout'],
  ['read', 'idempotent', 'unsafe'],
  ['optional', 'required', 'critical'],
  ['allow', 'deny', 'prefer'],
  ['tool', 'structured_output'],
];

/** All mutants of a source, in the order of the text. */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mutant[] = [];
  const add = (start: number, end: number, after: string): void => {
    const before = text.slice(start, end);
    if (before === after) return;
    found.push({ file, line: source.getLineAndCharacterOfPosition(start).line + 1, start, end, before, after });
  };
  const replace = (node: ts.Node, after: string): void => add(node.getStart(source), node.end, after);
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isImportDeclaration(node)) return;
    if (ts.isExportDeclaration(node)) return;
    mutate(node, source, replace, add);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

type Replace = (node: ts.Node, after: string) => void;
type Add = (start: number, end: number, after: string) => void;

function mutate(node: ts.Node, source: ts.SourceFile, replace: Replace, add: Add): void {
  if (ts.isBinaryExpression(node)) mutateBinary(node, source, replace);
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) replace(node.expression, 'false');
  if (ts.isIfStatement(node)) replace(node.expression, 'true');
  if (ts.isConditionalExpression(node)) for (const value of ['true', 'false']) replace(node.condition, value);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) replace(node, node.operand.getText(source));
  if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false');
  if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true');
  if (ts.isNumericLiteral(node)) replace(node, String(Number(node.text) + 1));
  if (ts.isPropertyAccessExpression(node)) mutateMethod(node, replace);
  if (ts.isStringLiteral(node)) mutateWord(node, replace);
  mutateStructure(node, source, replace, add);
}

function mutateBinary(node: ts.BinaryExpression, source: ts.SourceFile, replace: Replace): void {
  for (const after of operators.get(node.operatorToken.getText(source)) ?? []) replace(node.operatorToken, after);
  if (node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) {
    replace(node, node.left.getText(source));
    replace(node, node.right.getText(source));
  }
}

function mutateMethod(node: ts.PropertyAccessExpression, replace: Replace): void {
  const after = Object.hasOwn(methods, node.name.text) ? methods[node.name.text] : undefined;
  if (after !== undefined && ts.isCallExpression(node.parent) && node.parent.expression === node) replace(node.name, after);
}

function mutateWord(node: ts.StringLiteral, replace: Replace): void {
  const family = words.find((each) => each.includes(node.text)) ?? [];
  const at = family.indexOf(node.text);
  if (at >= 0) replace(node, `'${family[(at + 1) % family.length]}'`);
}

function mutateStructure(node: ts.Node, source: ts.SourceFile, replace: Replace, add: Add): void {
  if (ts.isExpressionStatement(node)) replace(node, ';');
  if (!ts.isObjectLiteralExpression(node) && !ts.isArrayLiteralExpression(node)) return;
  const parts: readonly ts.Node[] = ts.isObjectLiteralExpression(node) ? node.properties : node.elements.filter(ts.isSpreadElement);
  const { text } = source;
  for (const part of parts) {
    const comma = /^\s*,/u.exec(text.slice(part.end));
    add(part.getStart(source), part.end + (comma?.[0].length ?? 0), '');
  }
}
