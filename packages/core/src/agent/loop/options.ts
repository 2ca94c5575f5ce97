/** Owns the options of an agent run and their validation. */
import { checkOptions } from '../../engine/settings/check-options.ts';
import { internalsOf } from '../../runtime/service/internals.ts';
import { checkKnownTools } from '../../runtime/service/options.ts';
import type { TraceListener } from '../../runtime/service/event-hub.ts';
import type { ToolExecutionService } from '../../runtime/service/tool-execution-service.ts';
import type { RetryPolicyLayer } from '../../engine/settings/validation-retries.ts';
import { retryPolicyFields } from '../../engine/settings/validation-retries.ts';
import type { Session } from '../session/session.ts';
import type { Slices } from '../session/slices.ts';
import type { JsonSchema } from '../../engine/schema/standard-schema.ts';
import type { Fields } from '../../engine/settings/check.ts';
import { mapOf, refuse, withMethods } from '../../engine/settings/check.ts';
import type { TurnSettings } from '../../engine/settings/settings.ts';
import { turnFields } from '../../engine/settings/fields.ts';
import type { AnyTool } from '../../engine/tool/tool.ts';
import type { CallExecutors } from './call-executors.ts';
import type { ArgumentReader } from './model-call.ts';

/** How tools with an open circuit are offered to a model. */
export type OpenCircuits = 'annotate' | 'remove' | 'as_is';

/** A service with any tools. */
export type AnyService = Pick<ToolExecutionService<readonly AnyTool[]>, 'getToolHealth' | 'getToolSettings' | 'seed' | 'tools'>;

/** A session with any slices. */
export type AnySession = Pick<Session<Slices>, 'append' | 'correlationId' | 'feedback'>;

/** Options of an `AgentRun`. */
export interface AgentRunOptions {
  /** Runs the calls: a `ToolExecutionService`. */
  readonly service: AnyService;
  /** Keeps feedback and answers (docs/specification.md#s2-policy). @default a new session */
  readonly session?: AnySession | undefined;
  /** Reads the arguments that a model sent. @default strict JSON */
  readonly readArguments?: ArgumentReader | undefined;
  /** Whether a tool of the service belongs to this run; others are unknown to it. @default all do */
  readonly offers?: ((toolName: string) => boolean) | undefined;
  /** Returns the JSON Schema that the model was shown, for a tool whose `input` is none, such as one that is validated by its framework. @default none */
  readonly schemaOf?: ((toolName: string) => JsonSchema | undefined) | undefined;
  /** Validation retries for all tools and structured outputs (docs/specification.md#s2-policy). @default 3 attempts, no delay */
  readonly validationRetries?: RetryPolicyLayer | undefined;
  /** Validation retries by tool; override `validationRetries` and are overridden by those of a call (docs/specification.md#s2-policy). */
  readonly toolValidationRetries?: Readonly<Record<string, RetryPolicyLayer>> | undefined;
  /** What happens when the attempts are used up: the run stops, or only the tool is closed for this run. @default 'stop' */
  readonly onExhausted?: 'stop' | 'close_tool' | undefined;
  /** After this many identical failures (same tool, arguments and failure) the answer contains advice, and the same call is run again only after a pause. Calls that differ only in form may fail twice as often. @default 3 */
  readonly maxIdenticalFailures?: number | undefined;
  /** The longest pause before a repeated call is run again: it is an eighth of the time for which the call has failed in the same way, and at least a second. @default 60000 */
  readonly identicalFailureCoolDownMs?: number | undefined;
  /** Refused calls of one response after which the run stops. @default 32 */
  readonly maxRefusalsPerTurn?: number | undefined;
  /** Refusals in the whole run after which it stops; a tool counts once per answer, and four successes offset one refusal. @default 8 */
  readonly maxRefusals?: number | undefined;
  /** How `advertise` offers tools whose circuit is open or that are switched off. @default 'annotate' */
  readonly openCircuits?: OpenCircuits | undefined;
  /** Settings of the turns; override those of the service. */
  readonly turn?: Partial<TurnSettings> | undefined;
  /** Called with every trace event of the run's turns as it happens. */
  readonly onEvent?: TraceListener | undefined;
  /** Runs single calls with functions of a framework; requires its `middleware` in the service's `middleware`. */
  readonly executors?: CallExecutors | undefined;
}

const positiveInteger = 'a whole number, 1 or more';

export const runFields: Fields = {
  service: (value, field) => void internalsOf(value, field),
  session: (value, field) => {
    if (typeof (value as AnySession | null)?.append !== 'function') refuse(field, value, 'a Session', '');
  },
  readArguments: 'function',
  schemaOf: 'function',
  offers: 'function',
  validationRetries: retryPolicyFields,
  toolValidationRetries: mapOf(retryPolicyFields, 'an object of policies by tool name'),
  onExhausted: ['stop', 'close_tool'],
  maxIdenticalFailures: [positiveInteger, 1, Infinity, true],
  identicalFailureCoolDownMs: ['a number of milliseconds, 0 or more', 0, Infinity],
  maxRefusalsPerTurn: [positiveInteger, 1, Infinity, true],
  maxRefusals: [positiveInteger, 1, Infinity, true],
  openCircuits: ['annotate', 'remove', 'as_is'],
  turn: turnFields,
  onEvent: 'function',
  executors: withMethods('middleware', 'register'),
};

/** @throws TypeError | RangeError that names the field, its value and the fix */
export function checkRunOptions(options: AgentRunOptions): void {
  checkOptions(runFields, options, 'AgentRun', ['service']);
  const { service, toolValidationRetries = {} } = options;
  const names = service.tools.map(({ name }) => name);
  if (names.length > 0) checkKnownTools(Object.keys(toolValidationRetries), names, 'AgentRun.toolValidationRetries');
}
