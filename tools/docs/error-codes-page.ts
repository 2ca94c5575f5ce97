/** Prints `docs/reference/error-codes.md` from what provoked results really say. */
import ts from 'typescript';
import { errorCases, traceOnly } from './error-cases.ts';
import { code, table } from './page.ts';
import { visitSources } from './source.ts';

const upperCase = /^[A-Z]+(?:_[A-Z]+)+$|^TIMEOUT$|^CANCELLED$|^CONFLICT$/;
const tables = new Set(['codeOfCategory', 'refusalTexts']);
const makers = new Set(['rejectedFault', 'internalFault']);

/** Every code that the engine's sources can put on a fault. */
export function codesInSources(): ReadonlySet<string> {
  const codes = new Set<string>();
  const take = (node: ts.Node | undefined): void => {
    if (node && ts.isStringLiteral(node) && upperCase.test(node.text)) codes.add(node.text);
  };
  for (const folder of ['engine/call', 'engine/turn', 'runtime/service', 'runtime/drivers', 'agent/loop']) {
    visitSources(`packages/core/src/${folder}`, (node) => {
      if (ts.isPropertyAssignment(node) && node.name.getText() === 'code') take(node.initializer);
      if (ts.isCallExpression(node) && makers.has(node.expression.getText())) take(node.arguments[0]);
      if (
        !ts.isVariableDeclaration(node) ||
        !tables.has(node.name.getText()) ||
        !node.initializer ||
        !ts.isObjectLiteralExpression(node.initializer)
      )
        return;
      for (const entry of node.initializer.properties) {
        if (!ts.isPropertyAssignment(entry)) continue;
        take(entry.initializer);
        if (upperCase.test(entry.name.getText())) codes.add(entry.name.getText());
      }
    });
  }
  return codes;
}

export async function errorCodesPage(): Promise<string> {
  const rows: string[][] = [];
  const advice: string[][] = [];
  for (const { code: expected, when, todo, provoke } of errorCases) {
    const error = (await provoke())?.error;
    if (error?.code !== expected) throw new Error(`${expected}: its case ended with ${String(error?.code)}`);
    const { classification, category, retryable, userMessage } = error;
    rows.push([code(expected), classification, code(category), retryable ? 'yes' : 'no', when, todo]);
    advice.push([code(expected), userMessage, error.advice ?? '']);
  }
  return [
    '# Error codes',
    "Every `code` that a result's `error` can carry. The cases behind this page are run against the engine: class, category, `retryable` and sentences are what came out.\nIt is printed by `npm run docs`; a test fails when page and code differ, and when a code of the sources has no case.",
    "A tool's own code (`ECONNRESET`, `23505`, `MCP_SERVER_DOWN` …) is evidence for the classification and stays on `error.cause`. `retryable` says whether the same call may succeed later; after an ambiguous failure of an `unsafe` tool it is `no` for every code. Where a code covers errors of two classes, the row shows the usual one and the text says when it is the other.",
    table(['Code', 'Class', 'Category', '`retryable`', 'When', 'What to do'], rows),
    '## Only in the trace',
    table(
      ['Code', 'When'],
      [...traceOnly].map(([name, when]) => [code(name), when]),
    ),
    '## Sentences',
    'For a tool named `flight_search`. `userMessage` may be shown to a user, `advice` is for the model; neither holds anything of the technical message.',
    table(['Code', '`userMessage`', '`advice`'], advice),
  ].join('\n\n');
}
