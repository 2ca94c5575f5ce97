/** Owns reading the request of a turn: checks its plan and merges its settings; a plan that cannot run becomes one clear error. */
import { internalFault } from '../../engine/call/fault.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import { suggestField } from '../../engine/plain/suggest.ts';
import type { CancelSignal } from '../../engine/ports/signal.ts';
import { checkNames, refuse } from '../../engine/settings/check.ts';
import { turnFields } from '../../engine/settings/fields.ts';
import type { TurnSettings } from '../../engine/settings/settings.ts';
import { checkTurnSettings } from '../../engine/settings/validate.ts';
import type { PlanGraph, PlannedCall, TurnPlan } from '../../engine/turn/plan.ts';
import { checkPlan } from '../../engine/turn/plan.ts';
import type { TurnReport } from '../../engine/turn/report.ts';
import type { ExecuteOptions } from './execute-options.ts';
import { readOptions } from './execute-options.ts';
import { failedResult } from './single-call.ts';
import type { ServiceContext } from './service-context.ts';
import { alternativeProblem, readCall } from './tool-call.ts';
import { withoutUndefined } from '../../engine/plain/without-undefined.ts';

/** The error of every result: no call was run. */
export interface UnrunTurn extends TurnReport {
  readonly trace: readonly never[];
  readonly problems: readonly string[];
}

/** A turn that can run, or the report of one that cannot. */
export type ReadTurn =
  | {
      readonly ok: true;
      readonly turnId: string;
      readonly calls: readonly PlannedCall[];
      readonly graph: PlanGraph;
      readonly settings: TurnSettings;
      readonly signal: CancelSignal | undefined;
    }
  | { readonly ok: false; readonly turn: UnrunTurn };

/** The caller's own limit overrides the plan's. Never throws, whatever plan and options are. */
export function readTurn(context: ServiceContext, plan: TurnPlan, options?: ExecuteOptions): ReadTurn {
  let turnId = '';
  let calls: readonly PlannedCall[] = [];
  try {
    checkNames(planFields, plan, 'Turn', suggestField);
    const { timeoutMs, concurrency, onDeadline, maxRetries, calls: given } = plan;
    if (!Array.isArray(given)) refuse('Turn.calls', given, 'an array of calls', '');
    calls = [...given];
    turnId = readTurnId(plan) ?? context.nextTurnId();
    const { problem, ...read } = readOptions(options, "executeTurn's options");
    const own = withoutUndefined({ timeoutMs: read.timeoutMs ?? timeoutMs, concurrency, onDeadline, maxRetries });
    const checked = checkPlan(calls);
    const problems = [
      ...(problem === undefined ? [] : [problem]),
      ...(checked.ok ? alternativeProblems(context, checked.graph) : checked.problems.map(({ message }) => message)),
    ];
    checkTurnSettings(own, 'Turn');
    if (!checked.ok || problems.length > 0)
      return {
        ok: false,
        turn: unrunTurn(
          turnId,
          calls,
          problems.map((message) => context.redact(message)),
        ),
      };
    return { ok: true, turnId, calls, graph: checked.graph, settings: { ...context.turnSettings, ...own }, signal: read.signal };
  } catch (error) {
    return { ok: false, turn: unrunTurn(turnId, calls, [context.redact(describeError(error).message)]) };
  }
}

const planFields = { ...turnFields, turnId: undefined, calls: undefined };

function alternativeProblems(context: ServiceContext, { nodes }: PlanGraph): readonly string[] {
  return nodes.flatMap(({ callId, call: { policy } }) => alternativeProblem(context, policy, `Call '${callId}'`) ?? []);
}

/** @throws TypeError when it is not a string, or is empty. */
function readTurnId({ turnId }: TurnPlan): string | undefined {
  if (turnId === undefined || (typeof turnId === 'string' && turnId !== '')) return turnId;
  return refuse('Turn.turnId', turnId, 'a non-empty string, or left out', '');
}

/** A plan that cannot run: the same clear error in every result. */
export function unrunTurn(turnId: string, calls: readonly unknown[], problems: readonly string[]): UnrunTurn {
  const fault = internalFault('INVALID_PLAN', problems.join(' '));
  const results = calls.map((call, index) => failedResult(readCall(call, index), fault));
  return {
    turnId,
    outcome: 'failed',
    results,
    summary: `The plan cannot be run: ${problems.join(' ')}`,
    escalated: false,
    executionTime: 0,
    criticalPath: [],
    trace: [],
    problems,
  };
}
