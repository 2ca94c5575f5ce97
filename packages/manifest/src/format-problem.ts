/** Owns formatting a problem for a terminal. */
import { checkOptions, checkShape } from '@holdfast/core/internal/plain';
import type { Problem } from './problem.ts';

/** How a problem is printed. */
export interface FormatOptions {
  /** The text of the file, to show the line and mark the position. */
  readonly source?: string;
  /** ANSI colours. @default false */
  readonly color?: boolean;
}

const widest = 120;

/**
 * `file:line:column: error: message`, the line with a mark under the position, what is allowed, and a suggestion.
 */
export function formatProblem(problem: Problem, options: FormatOptions = {}): string {
  checkOptions({ source: 'string', color: 'boolean' }, options, 'formatProblem');
  checkShape(
    { severity: ['error', 'warning'], file: 'string', message: 'string', line: 'number', column: 'number' },
    problem,
    'formatProblem: problem',
  );
  const { source, color = false } = options;
  const paint = (code: number, text: string): string => (color ? `\u{1B}[${code}m${text}\u{1B}[0m` : text);
  const tone = problem.severity === 'error' ? 31 : 33;
  const place = paint(1, `${printable(problem.file)}:${problem.line}:${problem.column}`);
  const head = `${place}: ${paint(tone, problem.severity)}: ${printable(problem.message)}`;
  const notes = [
    ...(problem.suggestion === undefined ? [] : [`did you mean ${paint(32, printable(problem.suggestion))}?`]),
    ...(problem.allowed === undefined ? [] : [`allowed: ${printable(problem.allowed)}`]),
  ];
  const shown = source === undefined ? [] : excerpt(problem, source, (mark) => paint(tone, mark));
  return [head, ...shown, ...notes.map((note) => `  = ${note}`)].join('\n');
}

function excerpt(problem: Problem, source: string, paint: (mark: string) => string): readonly string[] {
  const line = source.replace(/^\u{FEFF}/u, '').split(/\r?\n/)[problem.line - 1];
  if (line === undefined || line.trim() === '') return [];
  const from = problem.column > widest - 20 ? problem.column - 40 : 0;
  const visible = printable(withoutUserInfo(line).slice(from, from + widest));
  const before = line.slice(from, problem.column - 1).replaceAll(/[^\t]/g, ' ');
  const mark = '^'.repeat(Math.max(1, Math.min(problem.length, visible.length - before.length)));
  const margin = String(problem.line);
  return [`${margin} | ${visible}`, `${' '.repeat(margin.length)} | ${before}${paint(mark)}`];
}

/** Masks user and password of an address, with the same length so that the mark stays in place. */
function withoutUserInfo(line: string): string {
  return line.replaceAll(/(https?:\/*)([^'"]*)@/gi, (_, scheme: string, secret: string) => `${scheme}${'*'.repeat(secret.length)}@`);
}

/** Control characters of a file must not reach the terminal. */
function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '�').replaceAll('\n', ' ');
}
