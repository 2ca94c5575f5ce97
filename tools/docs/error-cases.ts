/** Owns one way to provoke every error code, through the public interface alone, and additional explanations. */
import { defineTool, ToolExecutionService, type AnyTool, type ToolPolicy, type ToolResult } from '@holdfast/core';
import { AgentRun, type ToolAnswer } from '@holdfast/core/agent';
import { manualSystem, type ManualSystem } from '@holdfast/core/testing';

export interface ErrorCase {
  readonly code: string;
  readonly when: string;
  readonly todo: string;
  readonly provoke: () => Promise<ToolResult | undefined>;
}

type Run = (service: ToolExecutionService, system: ManualSystem) => Promise<ToolResult | undefined>;

const name = 'flight_search';
const once: ToolPolicy = { retry: { maxAttempts: 1 } };

function runWith(tools: readonly AnyTool[], run: Run): () => Promise<ToolResult | undefined> {
  return () => {
    const system = manualSystem();
    return run(new ToolExecutionService({ tools, system, seed: 'docs' }), system);
  };
}

const call: Run = (service, system) => system.until(service.executeTool({ toolName: name }));

/** A tool that throws the error. */
const throws = (properties: object): (() => Promise<ToolResult | undefined>) =>
  runWith(
    [
      defineTool({
        name,
        ...once,
        run: () => {
          throw Object.assign(new Error('no'), properties);
        },
      }),
    ],
    call,
  );
const status = (number: number): (() => Promise<ToolResult | undefined>) => throws({ status: number });
const works = (policy: ToolPolicy = {}): AnyTool => defineTool({ name, ...policy, run: () => 'done' });
const hangs = (policy: ToolPolicy = {}): AnyTool => defineTool({ name, ...policy, run: () => new Promise<never>(() => {}) });

/** An agent run that is stopped by the first refusal of an unknown tool. */
function agent(
  tools: readonly AnyTool[],
  answer: (run: AgentRun) => Promise<readonly ToolAnswer[]>,
): () => Promise<ToolResult | undefined> {
  return runWith(tools, async (service, system) => {
    const run = new AgentRun({ service, maxRefusals: 1 });
    return (await system.until(answer(run)))[0]?.result;
  });
}

function fail(message: string): never {
  throw new Error(message);
}

export const errorCases: readonly ErrorCase[] = [
  {
    code: 'NETWORK_ERROR',
    when: 'Refused, reset, DNS, broken connection. Permanent if the certificate is not trusted.',
    todo: 'Check host and route; it is retried automatically.',
    provoke: throws({ code: 'ECONNREFUSED' }),
  },
  {
    code: 'TIMEOUT',
    when: "The tool's own client timed out (`ETIMEDOUT`, 408, 504), or the caller's `AbortSignal.timeout` fired.",
    todo: "Raise the client's limit, or the tool's.",
    provoke: throws({ code: 'ETIMEDOUT' }),
  },
  {
    code: 'TOOL_TIMEOUT',
    when: 'An attempt exceeded `timeoutMs`, or reported no progress for `idleTimeoutMs`.',
    todo: 'Raise the limit, or make the tool faster; make it report progress and react to `signal`.',
    provoke: runWith([hangs(once)], call),
  },
  {
    code: 'TURN_DEADLINE',
    when: 'The time of the turn, batch or call was up.',
    todo: 'Raise the deadline, or plan fewer calls. `attempts` shows whether the tool was run.',
    provoke: runWith([hangs()], (service, system) => system.until(service.executeTool({ toolName: name }, { timeoutMs: 50 }))),
  },
  {
    code: 'RATE_LIMITED',
    when: 'The service reported it (429 and similar).',
    todo: 'Wait `retryAfterMs`; set `rateLimit` below what the service allows.',
    provoke: status(429),
  },
  {
    code: 'RATE_LIMITED',
    when: "Holdfast's own limiter, or a server's `Retry-After` that holds the tool. If the wait fits into the call's retry time, the call waits instead.",
    todo: 'Try again after `retryAfterMs`.',
    provoke: runWith([works({ rateLimit: { limit: 1, windowMs: 60_000 } })], async (service, system) => {
      await call(service, system);
      return call(service, system);
    }),
  },
  {
    code: 'SERVICE_UNAVAILABLE',
    when: '500, 502, 503, 52x and similar.',
    todo: 'It is retried automatically; declare `alternatives`.',
    provoke: status(503),
  },
  {
    code: 'CIRCUIT_OPEN',
    when: 'The circuit is open, or its probe is running. The tool was not called.',
    todo: 'Use another tool until `retryAfterMs` has passed.',
    provoke: runWith([works()], (service, system) => {
      service.controlCircuit(name, 'forced_open');
      return call(service, system);
    }),
  },
  {
    code: 'BULKHEAD_FULL',
    when: '`concurrency.limit` calls run and `concurrency.queue` calls wait.',
    todo: 'Raise one of the two, or send fewer calls.',
    provoke: runWith([hangs({ concurrency: { limit: 1, queue: 0 } })], (service, system) => {
      void service.executeTool({ toolName: name });
      return call(service, system);
    }),
  },
  { code: 'AUTHENTICATION_FAILED', when: '401, 407, bad credentials.', todo: 'Fix the credentials of the tool.', provoke: status(401) },
  {
    code: 'LOGIN_REQUIRED',
    when: "A person has to log in to the tool's service; `message` says where.",
    todo: 'Log in; the next call works.',
    provoke: throws({ code: 'LOGIN_REQUIRED' }),
  },
  { code: 'PERMISSION_DENIED', when: '403, denied access.', todo: 'Grant the right, or call another tool.', provoke: status(403) },
  { code: 'NOT_FOUND', when: '404, 410, the requested object does not exist.', todo: 'Correct the request.', provoke: status(404) },
  {
    code: 'INVALID_INPUT',
    when: 'The service rejected the request: 400, 422.',
    todo: 'Correct the arguments as described in `message`.',
    provoke: status(422),
  },
  {
    code: 'INVALID_ARGUMENTS',
    when: "The arguments break the tool's `input` schema, or refer to an output that does not exist. The tool was not run, or it threw a `ToolValidationError`.",
    todo: 'Correct the arguments as described in `message`.',
    provoke: runWith([defineTool({ name, input: { type: 'object', required: ['from'] }, run: () => 'done' })], (service, system) =>
      system.until(service.executeTool({ toolName: name, arguments: {} })),
    ),
  },
  {
    code: 'CONFLICT',
    when: '409, 412. Transient for deadlocks, serialization failures and locks.',
    todo: 'Read the current state and try again.',
    provoke: status(409),
  },
  { code: 'UNSUPPORTED_OPERATION', when: '405, 406, 415, 501.', todo: 'Call another tool.', provoke: status(405) },
  { code: 'PAYLOAD_TOO_LARGE', when: '413, 414, 431.', todo: 'Send less.', provoke: status(413) },
  { code: 'QUOTA_EXHAUSTED', when: '402, or a quota that does not recover by waiting.', todo: 'Raise the quota.', provoke: status(402) },
  {
    code: 'INVALID_RESPONSE',
    when: 'The response of the service cannot be read.',
    todo: 'Check the service; the action may have happened.',
    provoke: throws({ code: 'INVALID_RESPONSE' }),
  },
  {
    code: 'INVALID_OUTPUT',
    when: "The output violates the tool's `output` schema.",
    todo: 'Fix the tool or its schema.',
    provoke: runWith([defineTool({ name, output: { type: 'string' }, run: () => 1 })], call),
  },
  {
    code: 'RESOURCE_EXHAUSTED',
    when: 'Out of disk, memory or handles. Transient if it may be temporary.',
    todo: 'Free the resource.',
    provoke: throws({ code: 'ENOSPC' }),
  },
  {
    code: 'TOOL_BUG',
    when: 'The tool threw a `TypeError`, `ReferenceError` or similar.',
    todo: 'Fix the tool; `cause` has the stack.',
    provoke: runWith(
      [
        defineTool({
          name,
          run: () => {
            throw new TypeError('x is not a function');
          },
        }),
      ],
      call,
    ),
  },
  {
    code: 'TOOL_ERROR',
    when: 'Nothing more is known. Transient with `unknownFailures: retry`, the default of `spec` and `service`; permanent with `report`, the default of `adaptive`.',
    todo: 'Give the error a `code` or `status`, or the tool a `classification` rule.',
    provoke: throws({}),
  },
  {
    code: 'CANCELLED',
    when: "The caller's signal aborted.",
    todo: 'Nothing.',
    provoke: runWith([hangs()], (service, system) => {
      const controller = new AbortController();
      const result = service.executeTool({ toolName: name }, { signal: controller.signal });
      controller.abort();
      return system.until(result);
    }),
  },
  {
    code: 'DEPENDENCY_FAILED',
    when: 'A call it depends on has finally failed. It was not run; `causedBy` has the chain.',
    todo: 'Check the first cause; declare a `default`, or make it `optional`.',
    provoke: runWith(
      [
        defineTool({
          name: 'location',
          run: () => {
            throw Object.assign(new Error('no'), { status: 404 });
          },
        }),
        works(),
      ],
      async (service, system) => {
        const { results } = await system.until(
          service.executeTurn({
            calls: [
              { callId: 'where', toolName: 'location' },
              { callId: 'flights', toolName: name, dependsOn: ['where'] },
            ],
          }),
        );
        return results[1];
      },
    ),
  },
  {
    code: 'UNKNOWN_TOOL',
    when: 'No tool has this name.',
    todo: 'Call a tool of the list; `message` may suggest one.',
    provoke: runWith([], call),
  },
  {
    code: 'TOOL_DISABLED',
    when: '`enabled: false`.',
    todo: 'Enable it, or call another tool.',
    provoke: runWith([defineTool({ name, enabled: false, run: () => 'done' })], call),
  },
  {
    code: 'INVALID_CALL',
    when: 'The value is not a call, has an unknown field, or its `policy` or options are invalid.',
    todo: 'Pass `{ toolName, arguments }`; the message names the field and the fix.',
    provoke: runWith([works()], (service) => service.executeTool({ toolName: name, policy: { timeoutMs: -1 } })),
  },
  {
    code: 'INVALID_PLAN',
    when: 'A cycle, an unknown field or dependency, a duplicate id, an invalid setting: no call of the turn was run. `problems` lists all problems.',
    todo: 'Fix the plan; `checkPlan` checks one without running it.',
    provoke: runWith(
      [works()],
      async (service) => (await service.executeTurn({ calls: [{ callId: 'a', toolName: name, dependsOn: ['b'] }] })).results[0],
    ),
  },
  {
    code: 'INTERNAL_ERROR',
    when: 'A bug in Holdfast, or a custom `system` that throws.',
    todo: 'Report it with `cause`.',
    provoke: () => {
      const system = { ...manualSystem(), setTimer: () => fail('no timers here') };
      return new ToolExecutionService({ tools: [works()], system, seed: 'docs' }).executeTool({ toolName: name });
    },
  },
  {
    code: 'ANSWER_TRUNCATED',
    when: "An agent run: the model's answer was cut off, so none of its calls is executed.",
    todo: 'Raise the output limit of the model.',
    provoke: agent([works()], (run) => run.answer([{ callId: 'a', toolName: name, arguments: '{"from"', truncated: true }])),
  },
  {
    code: 'REPEATED_FAILURE',
    when: 'An agent run: the same call has failed in the same way too often (`maxIdenticalFailures`), or its tool is closed to the run.',
    todo: 'The model has to do something else; a success resets the count.',
    provoke: agent([defineTool({ name, ...once, run: () => fail('Validation failed') })], async (run) => {
      for (let count = 0; count < 3; count++) await run.answer([{ callId: 'a', toolName: name, arguments: {} }]);
      return run.answer([{ callId: 'a', toolName: name, arguments: {} }]);
    }),
  },
  {
    code: 'RUN_STOPPED',
    when: 'An agent run: it was stopped earlier, for the reason in `stopped`.',
    todo: 'End the loop, or `resume()`.',
    provoke: agent([works()], async (run) => {
      await run.answer([{ callId: 'a', toolName: 'nonesuch', arguments: {} }]);
      return run.answer([{ callId: 'a', toolName: name, arguments: {} }]);
    }),
  },
];

/** Codes that only `CallRefused` events have: the result of such a call has the error that made the retry necessary. */
export const traceOnly: ReadonlyMap<string, string> = new Map([
  [
    'RETRY_BUDGET_EXHAUSTED',
    "A retry found the tool's budget empty at admission. The result keeps the last real error, with `stoppedBy: 'budget'`.",
  ],
]);
