/** Owns reading a plan from a body, and its problems, with the messages of `holdfast check`. */
import type { AnyTool, CallPolicy, TurnPlan } from '@holdfast/core';
import { parseTurn, parseTurnInSteps, type Problem, toPolicy, type ParsedTurn } from '@holdfast/manifest';
import { Pauses } from '@holdfast/mcp-wire/client';
import type { FieldProblem } from '../../contract.ts';
import { type BodyText, parseLargeJson } from '../body.ts';
import type { ApiLimits, ApiParts } from '../parts.ts';
import { notNow, type Refusal, type RefusalStatus, refusalOf } from '../problem.ts';
import { findMissing, type MissingTool, missingText } from '../../catalog/find-tool.ts';
import { directoryOf, neverListedMs } from '../tools/known-tools.ts';
import { partsOf } from './plan-size.ts';

export interface PlanParts extends Pick<ApiParts, 'service' | 'catalog'> {
  /** Which tools exist for the caller. */
  readonly allows: (tool: string) => boolean;
}

type Readable = Exclude<BodyText, { readonly refusal: Refusal }>;

export type ReadPlan = { readonly plan: TurnPlan; readonly refusal?: undefined } | { readonly refusal: Refusal };

export async function readPlan(
  { text, kind }: Readable,
  parts: PlanParts,
  { planCalls, planParts, bodyDepth }: Pick<ApiLimits, 'planCalls' | 'planParts' | 'bodyDepth'>,
): Promise<ReadPlan> {
  if (partsOf(text, kind) > planParts) return { refusal: tooManyParts(planParts) };
  if (kind === 'json') {
    const parsed = await parseLargeJson(text, bodyDepth);
    if (parsed.refusal) return parsed;
  }
  const parse = (): Promise<ParsedTurn> => parseInSteps(text, toolsOf(parts));
  let read = await parse();
  let missing: readonly MissingTool[] = [];
  if (read.problems.some(({ code }) => code === 'unknown_tool')) {
    missing = await missingTools(text, parts);
    read = await parse();
  }
  const { turn, problems } = read;
  // A repeated request does not help if one of the tools is unknown.
  const areComing = missing.length > 0 && missing.every(({ code }) => code !== 'UNKNOWN_TOOL');
  if (areComing && problems.every(({ code }) => code === 'unknown_tool')) return { refusal: neverListed(missing) };
  if (turn === undefined) return { refusal: refusalOfProblems(problems) };
  const flaw = turnIdFlaw(turn.turnId);
  if (flaw !== undefined)
    return { refusal: refusalOf(422, [{ code: 'OUT_OF_RANGE', message: `The id ${flaw}`, field: 'turn_id', allowed: idRule }]) };
  if (turn.calls.length <= planCalls) return { plan: turn };
  const message = `The plan has ${turn.calls.length} calls`;
  return { refusal: refusalOf(422, [{ code: 'TOO_MANY_CALLS', message, field: 'calls', allowed: `at most ${planCalls}` }]) };
}

/** Others are served between the steps. */
function parseInSteps(text: string, tools?: readonly AnyTool[]): Promise<ParsedTurn> {
  const pauses = new Pauses();
  const options = { file: 'body', ...(tools === undefined ? {} : { manifest: { tools } }) };
  return parseTurnInSteps(text, options, () => (pauses.isDue ? pauses.pause() : undefined));
}

const toolsOf = ({ service: { tools }, allows }: PlanParts): readonly AnyTool[] => tools.filter(({ name }) => allows(name));

/** Waits for the servers of tools that are not listed yet. A plan with other mistakes does not run, whatever they list. */
async function missingTools(text: string, { allows, ...parts }: PlanParts): Promise<readonly MissingTool[]> {
  const names = new Set((await parseInSteps(text)).turn?.calls.map(({ toolName }) => toolName) ?? []);
  const directory = directoryOf(parts);
  if (names.size === 0) await parts.catalog?.ready?.();
  const found = await Promise.all([...names].map((name) => findMissing(name, directory, allows)));
  return found.filter((missing) => missing !== undefined);
}

/** The plan may run once the servers answer, or after a login. */
function neverListed(missing: readonly MissingTool[]): Refusal {
  const reasons = new Set(missing.map(missingText));
  return notNow(503, missing[0]?.code ?? 'MCP_SERVER_DOWN', [...reasons].join('; '), neverListedMs);
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
