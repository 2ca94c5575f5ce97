/** Owns reading a plan from a body, and its problems, with the messages of `holdfast check`. */
import type { AnyTool, CallPolicy, TurnPlan } from '@holdfast/core';
import { parseTurn, type Problem, toPolicy, type ParsedTurn } from '@holdfast/manifest';
import type { FieldProblem } from '../../contract.ts';
import { type BodyText, parseJson } from '../body.ts';
import type { ApiLimits, ApiParts } from '../parts.ts';
import { type Refusal, type RefusalStatus, refusalOf } from '../problem.ts';
import { partsOf } from './plan-size.ts';

export interface PlanParts extends Pick<ApiParts, 'catalog'> {
  /** The tools that exist for the caller. */
  readonly tools: () => readonly AnyTool[];
}

type Readable = Exclude<BodyText, { readonly refusal: Refusal }>;

export type ReadPlan = { readonly plan: TurnPlan; readonly refusal?: undefined } | { readonly refusal: Refusal };

export async function readPlan(
  { text, kind }: Readable,
  { tools, catalog }: PlanParts,
  { planCalls, planParts }: Pick<ApiLimits, 'planCalls' | 'planParts'>,
): Promise<ReadPlan> {
  if (partsOf(text, kind) > planParts) return { refusal: tooManyParts(planParts) };
  if (kind === 'json') {
    const parsed = parseJson(text);
    if (parsed.refusal) return parsed;
  }
  const parse = (): ParsedTurn => parseTurn(text, { file: 'body', manifest: { tools: tools() } });
  let read = parse();
  if (catalog?.ready && read.problems.some(({ code }) => code === 'unknown_tool')) {
    // Right after the start, servers have not listed their tools yet.
    await catalog.ready();
    read = parse();
  }
  const { turn, problems } = read;
  if (turn === undefined) return { refusal: refusalOfProblems(problems) };
  const flaw = turnIdFlaw(turn.turnId);
  if (flaw !== undefined)
    return { refusal: refusalOf(422, [{ code: 'OUT_OF_RANGE', message: `The id ${flaw}`, field: 'turn_id', allowed: idRule }]) };
  if (turn.calls.length <= planCalls) return { plan: turn };
  const message = `The plan has ${turn.calls.length} calls`;
  return { refusal: refusalOf(422, [{ code: 'TOO_MANY_CALLS', message, field: 'calls', allowed: `at most ${planCalls}` }]) };
}

const maxIdLength = 512;
const idRule = `a string of at most ${maxIdLength} characters`;

/** The id is used in a URL. */
function turnIdFlaw(id = ''): string | undefined {
  if (id.length > maxIdLength) return `has ${id.length} characters`;
  return /\p{Surrogate}/u.test(id) ? 'is not well-formed Unicode' : undefined;
}

/** Checks an id from a parameter; the id of a plan is checked with the plan. */
export function turnIdRefusal(id: string): Refusal | undefined {
  if (id !== '.' && id !== '..') return undefined;
  const allowed = "a string other than '.' and '..', which cannot be part of a URL";
  const hint = 'Use another id, or omit it to get a generated one.';
  return refusalOf(422, [{ code: 'BAD_IDENTIFIER', message: `Turn_id is '${id}'`, field: 'turn_id', allowed, hint }]);
}

export const tooManyParts = (max: number, message = 'The plan is too large', hint = 'Split it into several turns.'): Refusal =>
  refusalOf(413, [{ code: 'TOO_LARGE', message, allowed: `at most ${max} values and keys`, hint }]);

export type ReadPolicy = { readonly policy: CallPolicy | undefined; readonly refusal?: undefined } | { readonly refusal: Refusal };

/** Reads the policy of a single call like the policy of a call in a plan. */
export function readPolicy(policy: Readonly<Record<string, unknown>> | undefined, { planParts }: Pick<ApiLimits, 'planParts'>): ReadPolicy {
  if (policy === undefined) return { policy };
  const text = JSON.stringify({ calls: [{ call_id: 'call', tool_id: 'tool', policy }] });
  if (partsOf(text, 'json') > planParts) return { refusal: tooManyParts(planParts) };
  const { turn, problems } = parseTurn(text, { file: 'body' });
  if (turn) return { policy: toPolicy(policy) };
  // Lines and columns refer to the generated text above.
  const ofPolicy = problems.map((problem) => {
    const { line: _line, column: _column, ...rest } = fieldProblem(problem);
    return rest.field === undefined ? rest : { ...rest, field: rest.field.replace(/^calls\[0\]\./, '') };
  });
  return { refusal: refusalOf(422, ofPolicy) };
}

/** The status of problems with reading the text; problems with the plan itself are answered with 422. */
const statuses: Readonly<Partial<Record<Problem['code'], RefusalStatus>>> = { syntax: 400, empty: 400, too_large: 413 };

export function refusalOfProblems(problems: readonly Problem[]): Refusal {
  const errors = problems.filter(({ severity }) => severity === 'error');
  return refusalOf((errors[0] && statuses[errors[0].code]) ?? 422, errors.map(fieldProblem));
}

function fieldProblem({ code, message, path, allowed, suggestion, line, column }: Problem): FieldProblem {
  return {
    code: code.toUpperCase(),
    message: message.charAt(0).toUpperCase() + message.slice(1),
    ...(path === '' ? {} : { field: path }),
    ...(allowed === undefined ? {} : { allowed }),
    ...(suggestion === undefined ? {} : { suggestion }),
    line,
    column,
  };
}
