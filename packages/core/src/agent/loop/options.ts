/** Owns what an agent run is made with, and the checking of it. */
import type { TraceListener } from '../../runtime/service/event-hub.ts';
import type { ToolExecutionService } from '../../runtime/service/tool-execution-service.ts';
import type { RetryPolicyLayer } from '../session/retry-policy.ts';
import { checkRetryPolicy } from '../session/retry-policy.ts';
import type { Session } from '../session/session.ts';
import type { Slices } from '../session/slices.ts';
import type { Fields } from '../../engine/settings/check.ts';
import { checkFields, refuse } from '../../engine/settings/check.ts';
import type { TurnSettings } from '../../engine/settings/settings.ts';
import { checkTurnSettings } from '../../engine/settings/validate.ts';
import { suggest } from '../../engine/plain/suggest.ts';
import type { AnyTool } from '../../engine/tool/tool.ts';
import type { CallExecutors } from './call-executors.ts';
import type { ArgumentReader } from './model-call.ts';

/** How tools with an open circuit are offered to a model. */
export type OpenCircuits = 'annotate' | 'remove' | 'as_is';

/** A service, whatever its tools are. */
export type AnyService = Pick<ToolExecutionService<readonly AnyTool[]>, 'getToolHealth' | 'getToolSettings' | 'seed' | 'tools'>;

/** A session, whatever its slices are. */
export type AnySession = Pick<Session<Slices>, 'append' | 'correlationId' | 'feedback'>;

/** Options of an `AgentRun`. */
export interface AgentRunOptions {
  /** Runs the calls: a `ToolExecutionService`. */
  readonly service: AnyService;
  /** Where feedback and answers are kept (docs/specification.md#s2-policy). @default one of its own */
  readonly session?: AnySession | undefined;
  /** Reads what a model sent as arguments. @default strict JSON */
  readonly readArguments?: ArgumentReader | undefined;
  /** How often a model may correct itself: for every tool and every structured output (docs/specification.md#s2-policy). @default 3 attempts, no delay */
  readonly validationRetries?: RetryPolicyLayer | undefined;
  /** The same by tool, over that (docs/specification.md#s2-policy). A call's own wins over both. */
  readonly toolValidationRetries?: Readonly<Record<string, RetryPolicyLayer>> | undefined;
  /** What exhausted attempts do: end the run, or close the tool to this run. @default 'stop' */
  readonly onExhausted?: 'stop' | 'close_tool' | undefined;
  /** The last of so many identical failures (same tool, arguments and failure) is told with advice; further same calls are not run. Calls that differ in form only may fail twice as often. @default 3 */
  readonly maxIdenticalFailures?: number | undefined;
  /** A failure that may pass by itself is tried once more after this long. @default 60000 */
  readonly identicalFailureCoolDownMs?: number | undefined;
  /** Calls of one answer that may be turned down before the run is stopped. @default 32 */
  readonly maxRefusalsPerTurn?: number | undefined;
  /** How often tools may be turned down in all before the run is stopped; a tool counts once per answer, and four successes undo one. @default 8 */
  readonly maxRefusals?: number | undefined;
  /** How `advertise` offers tools whose circuit is open, or that are switched off. @default 'annotate' */
  readonly openCircuits?: OpenCircuits | undefined;
  /** Settings of the turns, over the service's. */
  readonly turn?: Partial<TurnSettings> | undefined;
  /** Hears every trace event of the run's turns, as it happens. */
  readonly onEvent?: TraceListener | undefined;
  /** What runs single calls in a framework's way; the service must have its `policy` in `around`. */
  readonly executors?: CallExecutors | undefined;
}

const fromOne = 'a whole number, 1 or more';

const runFields: Fields = {
  service: 'object',
  session: (value, field) => {
    if (typeof (value as AnySession | null)?.append !== 'function') refuse(field, value, 'a Session', '');
  },
  readArguments: 'function',
  validationRetries: (value, field) => checkRetryPolicy(value as RetryPolicyLayer, field),
  toolValidationRetries: (value, field) => {
    if (typeof value !== 'object' || value === null) refuse(field, value, 'an object of policies by tool name', '');
    for (const [name, policy] of Object.entries(value)) checkRetryPolicy(policy as RetryPolicyLayer, `${field}.${name}`);
  },
  onExhausted: ['stop', 'close_tool'],
  maxIdenticalFailures: [fromOne, 1, Infinity, true],
  identicalFailureCoolDownMs: ['a number of milliseconds, 0 or more', 0, Infinity],
  maxRefusalsPerTurn: [fromOne, 1, Infinity, true],
  maxRefusals: [fromOne, 1, Infinity, true],
  openCircuits: ['annotate', 'remove', 'as_is'],
  turn: (value, field) => checkTurnSettings(value as Partial<TurnSettings>, field),
  onEvent: 'function',
  executors: 'object',
};

/** @throws TypeError | RangeError naming the field, its value and the fix. */
export function checkRunOptions(options: AgentRunOptions): void {
  checkFields(runFields, options, 'AgentRun', suggest, ['service']);
}
