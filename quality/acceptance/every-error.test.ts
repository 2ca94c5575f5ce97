/** Every way in which a call ends without success, by the service and by an agent's run: its whole result is as it is written here. */
import { defineTool, ToolExecutionService, type AnyTool, type PlannedCall, type ToolResult } from '@holdfast/core';
import { AgentRun, Session, type AgentRunOptions } from '@holdfast/core/agent';
import { manualSystem, type ManualSystem } from '@holdfast/core/testing';
import { expect, test } from 'vitest';
import { fails, hangs, scriptedTool, succeeds, type Step } from './support/scripted-tool.ts';

interface Expected {
  readonly status?: 'error' | 'timeout';
  readonly code: string;
  readonly message: string;
  readonly userMessage: string;
  readonly class: 'transient' | 'permanent' | 'neutral';
  readonly category: string;
  readonly retryable?: boolean;
  readonly attempts: number;
  readonly took: number;
}
type Way = (system: ManualSystem) => Promise<ToolResult | undefined>;

const search = (system: ManualSystem, steps: readonly Step[], settings: object = {}): AnyTool =>
  scriptedTool(system, 'flight_search', steps, { timeoutMs: 1_000, retry: { maxAttempts: 1 }, ...settings }).tool;
const serviceOf = (system: ManualSystem, tools: readonly AnyTool[], options: object = {}): ToolExecutionService =>
  new ToolExecutionService({ tools, system, seed: 'every', ...options });
const single =
  (steps: readonly Step[], settings: object = {}, call: object = {}, before = 0): Way =>
  async (system) => {
    const service = serviceOf(system, [search(system, steps, settings)]);
    const execute = () => system.until(service.executeTool({ toolName: 'flight_search', ...call }));
    for (let index = 0; index < before; index++) await execute(); // oxlint-disable-line no-await-in-loop -- one after the other
    return execute();
  };
const planned =
  (calls: readonly PlannedCall[], tools: (system: ManualSystem) => readonly AnyTool[], turn: object = {}): Way =>
  async (system) => {
    const { results } = await system.until(serviceOf(system, tools(system), { turn }).executeTurn({ calls }));
    return results.at(-1);
  };
/** The last answer of a run whose tool takes a city and fails for all but Oslo. */
const asked =
  (answers: readonly object[], options: Partial<AgentRunOptions> = {}): Way =>
  async (system) => {
    const run = ({ city }: { readonly city: string }) => {
      if (city !== 'Oslo') throw new Error('Invalid airport code: XYZ');
      return city;
    };
    const input = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const service = serviceOf(system, [defineTool({ name: 'flight_search', input, run })]);
    const agent = new AgentRun({ service, session: new Session({ system }), ...options });
    let last: ToolResult | undefined;
    for (const [index, answer] of answers.entries()) {
      const call = { callId: `call_${index}`, toolName: 'flight_search', arguments: { city: 'XYZ' }, ...answer };
      // oxlint-disable-next-line no-await-in-loop -- one answer after the other
      last = (await system.until(agent.answer([call as never]))).at(-1)?.result;
    }
    return last;
  };
const cancelledAfter =
  (steps: readonly Step[], reason: unknown): Way =>
  async (system) => {
    const controller = new AbortController();
    system.setTimer(300, () => controller.abort(reason));
    const service = serviceOf(system, [search(system, steps)]);
    return system.until(service.executeTool({ toolName: 'flight_search' }, { signal: controller.signal }));
  };

const needsCity = { input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } };
const [down, invalid] = [fails('Connection reset', 10), fails('Invalid airport code: XYZ', 10)];
const permanent = { class: 'permanent', category: 'invalid_input', attempts: 0, took: 0 } as const;
const failedDependency = (): readonly PlannedCall[] => [
  { callId: 'a', toolName: 'flight_search' },
  { callId: 'b', toolName: 'book', dependsOn: ['a'] },
];

const ways: readonly (readonly [string, Way, Expected])[] = [
  [
    'an unknown tool',
    single([], {}, { toolName: 'nonexistent' }),
    {
      ...permanent,
      code: 'UNKNOWN_TOOL',
      message: 'Unknown tool: nonexistent',
      userMessage: 'The requested tool does not exist.',
      category: 'not_found',
    },
  ],
  [
    'an unknown tool with a similar name',
    single([], {}, { toolName: 'flight_serch' }),
    {
      ...permanent,
      code: 'UNKNOWN_TOOL',
      message: "Unknown tool: flight_serch. Did you mean 'flight_search'?",
      userMessage: 'The requested tool does not exist.',
      category: 'not_found',
    },
  ],
  [
    'a disabled tool',
    (system) =>
      system.until(serviceOf(system, [{ ...search(system, []), enabled: false } as AnyTool]).executeTool({ toolName: 'flight_search' })),
    {
      ...permanent,
      code: 'TOOL_DISABLED',
      message: 'Tool disabled: flight_search',
      userMessage: 'The flight search tool is disabled.',
      category: 'unsupported',
    },
  ],
  [
    'a missing argument',
    single([], needsCity, { arguments: {} }),
    {
      ...permanent,
      code: 'INVALID_ARGUMENTS',
      message: "Required parameter 'city' missing",
      userMessage: 'The flight search tool could not process this request.',
    },
  ],
  [
    'a result that does not fit',
    single([succeeds({ city: 7 }, 10)], { output: needsCity.input }),
    {
      code: 'INVALID_OUTPUT',
      message: "Tool error: Output does not match its schema: Field 'city': expected string, got number",
      userMessage: 'The flight search tool returned an unusable response.',
      class: 'permanent',
      category: 'contract',
      attempts: 1,
      took: 10,
    },
  ],
  [
    'a hang',
    single([hangs]),
    {
      status: 'timeout',
      code: 'TOOL_TIMEOUT',
      message: 'Tool timeout after 1s',
      userMessage: 'The flight search tool did not respond in time.',
      class: 'transient',
      category: 'timeout',
      retryable: true,
      attempts: 1,
      took: 1_000,
    },
  ],
  [
    'an open circuit',
    single([down], { breaker: { failureThreshold: 2, openMs: 30_000 } }, {}, 2),
    {
      code: 'CIRCUIT_OPEN',
      message: 'Circuit open for flight_search, available again in 30s',
      userMessage: 'The flight search service is temporarily unavailable.',
      class: 'neutral',
      category: 'unavailable',
      attempts: 0,
      took: 0,
    },
  ],
  [
    'a dependency that failed',
    planned(failedDependency(), (system) => [search(system, [invalid]), scriptedTool(system, 'book', [succeeds()]).tool]),
    {
      code: 'DEPENDENCY_FAILED',
      message: 'Not run: a failed',
      userMessage: 'The book tool was not run because a step it depends on failed.',
      class: 'neutral',
      category: 'unavailable',
      attempts: 0,
      took: 0,
    },
  ],
  [
    "the turn's deadline while it runs",
    planned([{ callId: 'a', toolName: 'flight_search' }], (system) => [search(system, [hangs])], { timeoutMs: 400 }),
    {
      status: 'timeout',
      code: 'TURN_DEADLINE',
      message: 'Turn deadline of 400ms reached while the tool was running',
      userMessage: 'Time ran out before the flight search tool finished.',
      class: 'transient',
      category: 'timeout',
      retryable: true,
      attempts: 1,
      took: 400,
    },
  ],
  [
    "the turn's deadline before it runs",
    planned(failedDependency(), (system) => [search(system, [hangs]), scriptedTool(system, 'book', [succeeds()]).tool], { timeoutMs: 400 }),
    {
      status: 'timeout',
      code: 'TURN_DEADLINE',
      message: 'Turn deadline of 400ms reached before the tool was run',
      userMessage: 'Time ran out before the book tool finished.',
      class: 'transient',
      category: 'timeout',
      retryable: true,
      attempts: 0,
      took: 0,
    },
  ],
  [
    'a cancellation',
    cancelledAfter([hangs], new Error('The user left')),
    {
      code: 'CANCELLED',
      message: 'Cancelled by the caller: The user left',
      userMessage: 'The flight search call was cancelled.',
      class: 'neutral',
      category: 'cancelled',
      attempts: 1,
      took: 300,
    },
  ],
  [
    'arguments of a model that are no JSON',
    asked([{ arguments: '{"city":' }]),
    {
      ...permanent,
      code: 'INVALID_ARGUMENTS',
      message: expect.stringMatching(/not valid JSON/u) as string,
      userMessage: 'The flight search tool could not process this request.',
    },
  ],
  [
    'a call that has failed again and again',
    asked([{}, {}, {}, {}], { maxIdenticalFailures: 3 }),
    {
      ...permanent,
      code: 'REPEATED_FAILURE',
      message: 'Not run: this very call has failed 3 times (Tool error: Invalid airport code: XYZ)',
      userMessage: 'The flight search tool was not run.',
    },
  ],
  [
    'a run whose attempts are used up',
    asked([{ arguments: {} }, { arguments: {} }, { arguments: { city: 'Oslo' } }], { validationRetries: { maxAttempts: 2 } }),
    {
      code: 'RUN_STOPPED',
      message: expect.stringMatching(/^Not run: flight_search failed validation/u) as string,
      userMessage: 'The flight search tool was not run.',
      class: 'neutral',
      category: 'unavailable',
      attempts: 0,
      took: 0,
    },
  ],
];

test.each(ways)(
  '%s: code, messages, class, attempts and time',
  { tags: ['S4-result', 'S4-categories', 'S3-error-1', 'S3-error-3', 'S3-negatives', 'S0-1.2', 'S1-5.1'] },
  async (_what, way, expected) => {
    const system = manualSystem();
    const result = await way(system);
    const { error } = result ?? {};
    expect({
      status: result?.status,
      code: error?.code,
      message: error?.message,
      userMessage: error?.userMessage,
      class: error?.classification,
      category: error?.category,
      retryable: error?.retryable,
      attempts: result?.attempts,
      took: result?.executionTime,
    }).toEqual({ status: 'error', retryable: false, ...expected });
    expect(error?.advice).toMatch(/\S/u);
    expect(error?.rule).toMatch(/\S/u);
  },
);
