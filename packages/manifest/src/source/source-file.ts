/**
 * Owns one file during its check: its text, its line positions, and the problems found.
 */
import { LineCounter } from 'yaml';
import { type PathStep, type Problem, type ProblemCode, inOrder, pathText } from '../problem.ts';

/** Offsets into the text, the end excluded. */
export type Span = readonly [start: number, end: number];

/** A string, or a function that is called only if the problem is kept. */
type Late = string | (() => string | undefined);

export interface Finding {
  readonly code: ProblemCode;
  readonly at: Span;
  readonly path?: readonly PathStep[];
  readonly message: string;
  readonly allowed?: Late | undefined;
  readonly suggestion?: Late | undefined;
  /** @default 'error' */
  readonly severity?: Problem['severity'];
}

export interface SourceFile {
  readonly file: string;
  /** Without a byte order mark. */
  readonly text: string;
  readonly lines: LineCounter;
  report(finding: Finding): void;
  /** In order of position. */
  problems(): readonly Problem[];
}

/** Most problems of one severity. */
const maxProblems = 500;

export function createSourceFile(file: string, given: string): SourceFile {
  if (typeof given !== 'string')
    throw new TypeError(`${file}: the text must be a string, got ${typeof given}. To read a file, use a load… function.`);
  const text = given.startsWith('\u{FEFF}') ? given.slice(1) : given;
  const lines = new LineCounter();
  const found: Problem[] = [];
  // An anchored value is read once per alias, but reported once.
  const reported = new Set<string>();
  // Counted separately, so that many warnings never hide an error.
  const kept = { error: 0, warning: 0 };
  return {
    file,
    text,
    lines,
    report(finding) {
      const { severity = 'error' } = finding;
      const key = `${finding.code} ${finding.at[0]} ${finding.message}`;
      if (kept[severity] >= maxProblems || reported.has(key)) return;
      kept[severity] += 1;
      reported.add(key);
      found.push(locate(finding, file, text, lines));
    },
    problems: () => inOrder(found),
  };
}

function locate(finding: Finding, file: string, text: string, lines: LineCounter): Problem {
  const [start, end] = finding.at;
  const allowed = resolveLate(finding.allowed);
  const suggestion = resolveLate(finding.suggestion);
  const { line, col } = lines.linePos(start);
  const lineEnd = text.indexOf('\n', start);
  const last = Math.min(end, lineEnd === -1 ? text.length : lineEnd);
  return {
    severity: finding.severity ?? 'error',
    code: finding.code,
    file,
    line: Math.max(line, 1),
    column: Math.max(col, 1),
    length: Math.max(text.slice(start, last).trimEnd().length, 1),
    path: pathText(finding.path ?? []),
    message: finding.message,
    ...(allowed === undefined ? {} : { allowed }),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

const resolveLate = (late: Late | undefined): string | undefined => (typeof late === 'function' ? late() : late);
