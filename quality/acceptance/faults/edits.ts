/** The edits of one node of a source: what a person in a hurry may write in its place. */
import ts from 'typescript';

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly after: string;
}

const operators: ReadonlyMap<string, readonly string[]> = new Map([
  ['<', ['<=', '>=']],
  ['<=', ['<', '>']],
  ['>', ['>=', '<=']],
  ['>=', ['>', '<']],
  ['===', ['!==']],
  ['!==', ['===']],
  ['&&', ['||']],
  ['||', ['&&']],
  ['+', ['-']],
  ['-', ['+']],
  ['*', ['/']],
  ['/', ['*']],
  ['+=', ['-=', '=']],
  ['-=', ['+=']],
  ['??=', ['=']],
  ['||=', ['=']],
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

/** Calls that can be left out: what they are called on has the same type. */
const passing = new Set(['toSorted', 'toReversed', 'filter', 'trim', 'toLowerCase', 'slice']);

/** Words that the code uses in the same places: one replaces another. */
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

export function editsOf(node: ts.Node, source: ts.SourceFile): readonly Edit[] {
  return [
    ...editsOfOperators(node, source),
    ...editsOfConditions(node, source),
    ...editsOfValues(node, source),
    ...editsOfParts(node, source),
  ];
}

const replaced = (node: ts.Node, source: ts.SourceFile, ...texts: readonly string[]): readonly Edit[] =>
  texts.map((after) => ({ start: node.getStart(source), end: node.end, after }));

function editsOfOperators(node: ts.Node, source: ts.SourceFile): readonly Edit[] {
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return replaced(node, source, node.operand.getText(source));
  if (ts.isAwaitExpression(node)) return replaced(node, source, node.expression.getText(source));
  if (!ts.isBinaryExpression(node)) return [];
  const { operatorToken: token, left, right } = node;
  const sides = [left.getText(source), right.getText(source)];
  const { AmpersandAmpersandToken: and, BarBarToken: or, QuestionQuestionToken: otherwise } = ts.SyntaxKind;
  const isChoice = token.kind === and || token.kind === or || token.kind === otherwise;
  return [
    ...replaced(token, source, ...(operators.get(token.getText(source)) ?? [])),
    ...(isChoice ? replaced(node, source, ...sides) : []),
  ];
}

function editsOfConditions(node: ts.Node, source: ts.SourceFile): readonly Edit[] {
  if (ts.isWhileStatement(node)) return replaced(node.expression, source, 'false');
  if (ts.isIfStatement(node)) return replaced(node.expression, source, 'true', 'false', `!(${node.expression.getText(source)})`);
  if (!ts.isConditionalExpression(node)) return [];
  const [condition, yes, no] = [node.condition, node.whenTrue, node.whenFalse].map((part) => part.getText(source));
  return replaced(node, source, `${yes}`, `${no}`, `${condition} ? ${no} : ${yes}`);
}

function editsOfValues(node: ts.Node, source: ts.SourceFile): readonly Edit[] {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return replaced(node, source, 'false');
  if (node.kind === ts.SyntaxKind.FalseKeyword) return replaced(node, source, 'true');
  if (ts.isNumericLiteral(node)) {
    const value = Number(node.text);
    return replaced(node, source, ...[value + 1, ...(value > 0 ? [value - 1] : []), ...(value > 1 ? [value * 2] : [])].map(String));
  }
  if (ts.isStringLiteral(node)) return editsOfWord(node, source);
  if (ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node)) return replaced(node, source, "''");
  if (ts.isReturnStatement(node) && node.expression) return replaced(node.expression, source, 'undefined');
  return [];
}

function editsOfWord(node: ts.StringLiteral, source: ts.SourceFile): readonly Edit[] {
  if (ts.isPropertyName(node) && ts.isPropertyAssignment(node.parent) && node.parent.name === node) return [];
  const family = words.find((each) => each.includes(node.text)) ?? [];
  const at = family.indexOf(node.text);
  return replaced(node, source, "''", ...(at >= 0 ? [`'${family[(at + 1) % family.length]}'`] : []));
}

function editsOfParts(node: ts.Node, source: ts.SourceFile): readonly Edit[] {
  if (ts.isExpressionStatement(node)) return replaced(node, source, ';');
  if (ts.isCallExpression(node)) return editsOfCall(node, source);
  const parts = ts.isObjectLiteralExpression(node) ? node.properties : ts.isArrayLiteralExpression(node) ? node.elements : [];
  return parts.map((part) => {
    const comma = /^\s*,/u.exec(source.text.slice(part.end));
    return { start: part.getStart(source), end: part.end + (comma?.[0].length ?? 0), after: '' };
  });
}

function editsOfCall(node: ts.CallExpression, source: ts.SourceFile): readonly Edit[] {
  if (!ts.isPropertyAccessExpression(node.expression)) return [];
  const { name, expression } = node.expression;
  const other = Object.hasOwn(methods, name.text) ? methods[name.text] : undefined;
  const bounds = name.text === 'slice' ? node.arguments : [];
  return [
    ...(other === undefined ? [] : replaced(name, source, other)),
    ...(passing.has(name.text) ? replaced(node, source, expression.getText(source)) : []),
    ...bounds.flatMap((bound) => replaced(bound, source, `${bound.getText(source)} + 1`)),
  ];
}
