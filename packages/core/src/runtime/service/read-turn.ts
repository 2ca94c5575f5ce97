/** Owns reading the request of a turn: checks its plan and merges its settings; a plan that cannot run becomes one clear error. */
import { internalFault } from '../../engine/call/fault.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import type { TurnSettings } from '../../engine/settings/settings.ts';
import { checkTurnSettings } from '../../engine/settings/validate.ts';
import type { PlanGraph, PlannedCall, TurnPlan } from '../../engine/turn/plan.ts';
import { checkPlan } from '../../engine/turn/plan.ts';
import type { TurnReport } from '../../engine/turn/report.ts';
import type { ExecuteOptions } from './execute-options.ts';
import { readLimit } from './execute-options.ts';
import { failedResult } from './single-call.ts';
import type { ServiceContext } from './service-context.ts';
import { readCall } from './tool-call.ts';
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
    }
  | { readonly ok: false; readonly turn: UnrunTurn };

/** The caller's own limit overrides the plan's. Never throws, whatever plan and options are. */
export function readTurn(context: ServiceContext, plan: TurnPlan, options?: ExecuteOptions): ReadTurn {
  let turnId = '';
  let calls: readonly PlannedCall[] = [];
  try {
    const { concurrency, onDeadline, maxRetries } = plan;
    calls = [...plan.calls];
    turnId = readTurnId(plan) ?? context.nextTurnId();
    const own = withoutUndefined({ timeoutMs: readLimit(options) ?? plan.timeoutMs, concurrency, onDeadline, maxRetries });
    const checked = checkPlan(calls);
    if (!checked.ok) {
      const problems = checked.problems.map(({ message }) => context.redact(message));
      return { ok: false, turn: unrunTurn(turnId, calls, problems) };
    }
    checkTurnSettings(own, 'Turn');
    return { ok: true, turnId, calls, graph: checked.graph, settings: { ...context.turnSettings, ...own } };
  } catch (error) {
    return { ok: false, turn: unrunTurn(turnId, calls, [context.redact(describeError(error).message)]) };
  }
}

/** @throws TypeError when it is not a string. */
function readTurnId({ turnId }: TurnPlan): string | undefined {
  if (turnId === undefined || (typeof turnId === 'string' && turnId !== '')) return turnId;
  throw new TypeError(`The turn id is not a string (${typeof turnId}). Give it a name, or leave it out.`);
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
