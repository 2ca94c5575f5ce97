/**
 * What a user in a hurry writes without types: names of other libraries and protocols, settings at the wrong level, values of another kind. Each is refused where it is given,
 * with the field, the value or the name, and what was probably meant.
 */
import { classify, defineTool, ErrorHandler, ref, ToolExecutionService } from '@holdfast/core';
import { AgentRun, ConstantBackoff, ExponentialBackoff, parseStructured, runInference, Session } from '@holdfast/core/agent';
import { defaultAlertRules } from '@holdfast/core/alerts';
import { createMetrics } from '@holdfast/core/metrics';
import { circuitBreaker, retry } from '@holdfast/core/standalone';
import { parseManifest, parseTurn } from '@holdfast/manifest';
import { guardFetch, ResponseValidationMiddleware, validate } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';

type Loose = (...args: readonly unknown[]) => unknown;
const loose = <F>(given: F): Loose => given as unknown as Loose;

const weather = defineTool({
  name: 'weather',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: ({ city }: { city: string }) => `sunny in ${city}`,
});
const tool = (settings: object): unknown => loose(defineTool)({ name: 'weather', run: () => 'sunny', ...settings });
const service = (options: object): ToolExecutionService => new ToolExecutionService({ tools: [weather], ...options } as never);
const messageOf = async (result: unknown): Promise<unknown> =>
  ((await result) as { readonly error?: { readonly message: string } }).error?.message;
const call = (given: unknown, ...options: readonly unknown[]): Promise<unknown> =>
  messageOf(loose(service({}).executeTool.bind(service({})))(given, ...options));
const batch = async (given: unknown): Promise<unknown> =>
  messageOf(((await loose(service({}).executeToolBatch.bind(service({})))(given)) as unknown[])[0]);
const turn = async (plan: unknown): Promise<unknown> =>
  ((await loose(service({}).executeTurn.bind(service({})))(plan)) as { readonly problems?: readonly string[] }).problems?.[0];
const planned = (fields: object): Promise<unknown> =>
  turn({ calls: [{ callId: 'a', toolName: 'weather', arguments: { city: 'Oslo' }, ...fields }] });
const run = (options: object): AgentRun => new AgentRun({ service: service({}), ...options } as never);
const answer = async (calls: unknown): Promise<unknown> =>
  ((await run({}).answer(calls as never))[0] as { readonly text: string } | undefined)?.text;
const infer = async (response: unknown): Promise<unknown> =>
  (await runInference({ model: () => response as never, messages: [{ role: 'user', content: 'Warm?' }] })).error?.message;
const problemsOf = ({
  problems,
}: {
  readonly problems: readonly { readonly path: string; readonly suggestion?: string; readonly allowed?: string }[];
}): string => problems.map(({ path, suggestion, allowed }) => `${path} → ${suggestion ?? allowed ?? ''}`).join('\n');
const manifest = (text: string): string => problemsOf(parseManifest(text, { env: {} }));
const entry = (line: string): string =>
  manifest(`tools:\n  - id: weather\n    run: { http: { url: 'http://weather.test' } }\n    ${line}\n`);
const file = (line: string): string => manifest(`tools:\n  - { id: weather, run: { http: { url: 'http://weather.test' } } }\n${line}\n`);

/** What is given, and the words of the error. */
type Case = readonly [give: () => unknown, ...words: readonly string[]];

const groups: readonly (readonly [tag: string, name: string, cases: readonly Case[]])[] = [
  [
    'S0-2.2',
    'retries',
    [
      [() => tool({ retries: 3 }), "Tool 'weather' has no setting 'retries'. Did you mean 'retry'?"],
      [() => tool({ retry: 3 }), "Tool 'weather'.retry must be an object, got 3", 'maxAttempts'],
      [() => tool({ retry: { retries: 3 } }), "'retries'. Did you mean 'maxAttempts'?"],
      [() => tool({ retry: { maxRetries: 3 } }), "'maxRetries'. Did you mean 'maxAttempts'?"],
      [() => tool({ retry: { minTimeout: 3 } }), "'minTimeout'. Did you mean 'initialDelayMs'?"],
      [() => tool({ retry: { retryDelay: 3 } }), "'retryDelay'. Did you mean 'initialDelayMs'?"],
      [() => tool({ retry: { maxTimeout: 3 } }), "'maxTimeout'. Did you mean 'maxDelayMs'?"],
      [() => tool({ retry: { factor: 2 } }), "'factor'. Did you mean 'multiplier'?"],
      [() => tool({ retry: { exponent: 2 } }), "'exponent'. Did you mean 'multiplier'?"],
      [() => tool({ retry: { randomize: true } }), "'randomize'. Did you mean 'jitter'?"],
      [() => tool({ retry: { max_attempts: 3 } }), "'max_attempts'. Did you mean 'maxAttempts'?"],
      [() => tool({ retry: { maxAttempts: '3' } }), 'maxAttempts must be a whole number, 1 or more', "got '3'"],
      [
        () => tool({ retry: { strategy: 'exponential' } }),
        'one of exponential_backoff, linear_backoff, constant_backoff',
        "got 'exponential'",
      ],
      [() => tool({ retry: { jitter: true } }), 'jitter must be one of proportional', 'got true'],
      [() => tool({ maxAttempts: 3 }), "'maxAttempts'. Did you mean 'retry.maxAttempts'?"],
      [() => tool({ maxRetries: 3 }), "'maxRetries'. Did you mean 'retry.maxAttempts'?"],
      [() => tool({ retry_policy: {} }), "'retry_policy'. Did you mean 'retry'?"],
      [() => service({ retries: 3 }), "'retries'. Did you mean 'policy.retry'?"],
      [() => service({ maxAttempts: 3 }), "'maxAttempts'. Did you mean 'policy.retry.maxAttempts'?"],
      [() => service({ policy: { retry: { factor: 2 } } }), 'ToolExecutionService.policy.retry', "Did you mean 'multiplier'?"],
      [() => loose(retry)(() => 1, { retries: 3 }), "'retries'. Did you mean 'maxAttempts'?"],
      [() => loose(retry)({ retries: 3 }, () => 1), 'retry: task must be of type function, got an object'],
      [() => loose(retry)(() => 1, new AbortController().signal), 'retry must be an object, got an AbortSignal', 'signal'],
    ],
  ],
  [
    'S0-3.2',
    'circuits',
    [
      [() => tool({ circuitBreaker: {} }), "'circuitBreaker'. Did you mean 'breaker'?"],
      [() => tool({ circuit_breaker: {} }), "'circuit_breaker'. Did you mean 'breaker'?"],
      [() => tool({ breaker: true }), "Tool 'weather'.breaker must be an object, got true", 'failureThreshold'],
      [() => tool({ breaker: { resetTimeout: 9 } }), "'resetTimeout'. Did you mean 'openMs'?"],
      [() => tool({ breaker: { halfOpenAfter: 9 } }), "'halfOpenAfter'. Did you mean 'openMs'?"],
      [() => tool({ breaker: { timeout_ms: 9 } }), "'timeout_ms'. Did you mean 'openMs'?"],
      [() => tool({ breaker: { errorThresholdPercentage: 50 } }), "'errorThresholdPercentage'. Did you mean 'rate'?"],
      [() => tool({ breaker: { threshold: 5 } }), "'threshold'. Did you mean 'failureThreshold'?"],
      [() => tool({ breaker: { openMs: '30s' } }), 'openMs must be a number of milliseconds above 0', "got '30s'"],
      [() => tool({ resetTimeout: 9 }), "'resetTimeout'. Did you mean 'breaker.openMs'?"],
      [() => service({ resetTimeout: 9 }), "'resetTimeout'. Did you mean 'policy.breaker.openMs'?"],
      [() => loose(circuitBreaker)(() => 1, { timeout: 3 }), 'circuitBreaker must be an object, got a function'],
      [() => loose(circuitBreaker)({ resetTimeout: 3 }), "'resetTimeout'. Did you mean 'openMs'?"],
      [() => service({}).controlCircuit('weather', 'open' as never), 'circuit command must be one of auto, forced_open', "got 'open'"],
    ],
  ],
  [
    'S0-4.1',
    'time limits',
    [
      [() => tool({ timeout: 30 }), "'timeout'. Did you mean 'timeoutMs'?"],
      [() => tool({ timeout_ms: 30 }), "'timeout_ms'. Did you mean 'timeoutMs'?"],
      [() => tool({ timeoutMs: '30000' }), 'timeoutMs must be a number of milliseconds above 0', "got '30000'"],
      [() => tool({ timeoutMs: null }), 'timeoutMs must be a number of milliseconds above 0, got null'],
      [() => service({ turn: { timeout: 300 } }), "ToolExecutionService.turn has no setting 'timeout'. Did you mean 'timeoutMs'?"],
      [() => tool({ rateLimit: { max: 5, interval: 1 } }), "'max'. Did you mean 'limit'?"],
      [
        () => new ToolExecutionService({ tools: [tool({ rateLimit: { limit: 5 } }) as never] }),
        "Tool 'weather'.rateLimit.windowMs must be",
        'got undefined',
      ],
    ],
  ],
  [
    'S3-invariant',
    'tools and calls',
    [
      [() => loose(defineTool)('weather', () => 1), "Tool must be an object, got 'weather'", 'name'],
      [() => loose(defineTool)({ name: 'weather', execute: () => 1 }), "'execute'. Did you mean 'run'?"],
      [() => loose(defineTool)({ name: 'weather', callback: () => 1 }), "'callback'. Did you mean 'run'?"],
      [() => loose(defineTool)({ name: 'weather', fn: () => 1 }), "'fn'. Did you mean 'run'?"],
      [() => tool({ run: Promise.resolve(1) }), 'run must be a function', 'got a promise'],
      [() => tool({ input_schema: {} }), "'input_schema'. Did you mean 'input'?"],
      [() => tool({ parameters: {} }), "'parameters'. Did you mean 'input'?"],
      [() => tool({ input: { city: 'string' } }), 'input has no JSON Schema keyword', "type: 'object', properties: { city"],
      [() => tool({ input: { type: 'objct' } }), 'input.type must be one of object', "did you mean 'object'?", "got 'objct'"],
      [() => tool({ input: { type: 'object', required: 'city' } }), "input.required must be an array of names, got 'city'"],
      [() => service({ tools: { weather } }), 'tools must be an array of tools', 'got an object'],
      [() => service({ tools: [() => 1] }), 'tools[0] must be created with defineTool(), got a function'],
      [() => service({ tools: [weather, weather] }), "two tools are named 'weather'"],
      [() => call('weather', { city: 'Oslo' }), "A call must be an object { toolName, arguments }, got 'weather'"],
      [() => call({ name: 'weather' }), "'name'. Did you mean 'toolName'?"],
      [() => call({ toolName: 'weather', params: {} }), "'params'. Did you mean 'arguments'?"],
      [() => call({ toolName: 'weather', input: {} }), "'input'. Did you mean 'arguments'?"],
      [() => call(Promise.resolve({})), 'A call must be an object', 'got a promise'],
      [() => call({ toolName: 'wether', arguments: {} }), "Unknown tool: wether. Did you mean 'weather'?"],
      [() => call({ toolName: 'weather', arguments: { citi: 'Oslo' } }), "Required parameter 'city' missing (you sent 'citi')"],
      [() => call({ toolName: 'weather', arguments: '{"city":"Oslo"}' }), 'expected object, got string'],
      [
        () => call({ toolName: 'weather' }, new AbortController().signal),
        "executeTool's options must be an object, got an AbortSignal",
        'signal',
      ],
      [() => call({ toolName: 'weather' }, { signal: new AbortController() }), 'signal must be an AbortSignal, such as controller.signal'],
      [() => call({ toolName: 'weather' }, { abortSignal: 1 }), "'abortSignal'. Did you mean 'signal'?"],
      [() => call({ toolName: 'weather' }, { timeout: 5 }), "'timeout'. Did you mean 'timeoutMs'?"],
      [
        () => call({ toolName: 'weather', policy: { retry: { maxRetries: 3 } } }),
        "policy.retry has no setting 'maxRetries'. Did you mean 'maxAttempts'?",
      ],
      [() => batch({ toolName: 'weather' }), 'The calls must be an array, got an object'],
      [() => batch(['weather']), "A call must be an object { toolName, arguments }, got 'weather'"],
      [() => turn([{ toolName: 'weather' }]), 'Turn must be an object, got an array', 'calls'],
      [() => planned({ depends_on: [] }), "'depends_on'. Did you mean 'dependsOn'?"],
      [() => planned({ dependencies: [] }), "'dependencies'. Did you mean 'dependsOn'?"],
      [() => planned({ dependsOn: 'b' }), "Call 'a'.dependsOn must be an array of call ids, got 'b'"],
      [() => planned({ optional: 'yes' }), "Call 'a'.optional must be true or false, got 'yes'"],
      [() => loose(ref)({ callId: 'a' }), 'ref: callId must be the id of another call, got an object'],
      [() => service({}).subscribe('ToolError' as never), "subscribe: listener must be of type function, got 'ToolError'"],
      [() => loose(classify)(new Error('x')), 'classify must be an object, got undefined', 'nowEpochMs'],
    ],
  ],
  [
    'S4-fallback',
    'fallbacks',
    [
      [() => tool({ fallback: 'none' }), "fallback must be an object { value } with the output to use instead, got 'none'"],
      [() => tool({ fallback: { value: 1, ttl: 5 } }), "fallback has no setting 'ttl'. Known: value"],
      [() => tool({ fallbackValue: 1 }), "'fallbackValue'. Did you mean 'fallback'?"],
      [() => tool({ alternatives: 'backup' }), "alternatives must be an array of tool names, got 'backup'"],
      [() => tool({ alternatives: [weather] }), 'alternatives must be an array of tool names'],
    ],
  ],
  [
    'S0-6.2',
    'rules',
    [
      [() => service({ rules: [] }), "'rules'. Did you mean 'recoveryRules'?"],
      [
        () => service({ recoveryRules: [{ name: 'x', deny: 'retries' }] }),
        'recoveryRules[0].deny must be one of retry',
        "did you mean 'retry'?",
      ],
      [() => service({ recoveryRules: [{ name: 'x', tool: 'weather', deny: 'retry' }] }), "'tool'. Did you mean 'when.tool'?"],
      [() => service({ memory: true }), "'memory'. Did you mean 'useMemory'?"],
      [() => loose((options: unknown) => new ErrorHandler(options as never))({ rules: [] }), "'rules'. Did you mean 'recoveryRules'?"],
    ],
  ],
  [
    'S2-policy',
    'the loop with a model',
    [
      [() => run({ validationRetries: 3 }), 'AgentRun.validationRetries must be an object, got 3', 'maxAttempts'],
      [() => run({ maxAttempts: 3 }), "'maxAttempts'. Did you mean 'validationRetries.maxAttempts'?"],
      [() => run({ toolValidationRetries: { wether: {} } }), "names 'wether', but there is no such tool. Did you mean 'weather'?"],
      [() => tool({ validationRetries: { backoff: 100 } }), 'backoff must be a strategy such as new LinearBackoff(1, 1), got 100'],
      [
        () => new ConstantBackoff({ seconds: 1 } as never),
        "ConstantBackoff: 'seconds' must be a number of seconds, 0 or more, got an object",
      ],
      [() => new ExponentialBackoff(1, -2), "ExponentialBackoff: 'factor' must be a number of seconds, 0 or more, got -2"],
      [() => new Session({ reducers: {} } as never), "Session has no setting 'reducers'", 'slices'],
      [() => new Session({ slices: { cart: () => 0 } } as never), "the slice 'cart' must be { initial, reduce }"],
      [() => answer({ toolName: 'weather', callId: 'a' }), 'The calls must be an array, got an object'],
      [() => answer(Promise.resolve([])), 'The calls must be an array, got a promise'],
      [() => answer([{ type: 'tool_use', id: 'a', name: 'weather', input: {} }]), "does not name a tool: rename 'name' to 'toolName'"],
      [
        () => answer([{ callId: 'a', toolName: 'weather', args: { city: 'Oslo' } }]),
        "The arguments are lost: rename 'args' to 'arguments'",
      ],
      [() => infer('sunny'), 'the model must return an object { text, calls }, got string'],
      [() => infer({ tool_calls: [] }), "the model must return its calls as 'calls', got 'tool_calls'"],
      [() => infer({ role: 'assistant', content: 'sunny' }), 'the model must return { text, calls }, got { role, content }'],
      [() => infer({ text: 'x', calls: { toolName: 'weather' } }), "the model's calls must be an array of calls, got an object"],
      [() => infer({ text: [{ type: 'text' }] }), "the model's text must be of type string, got an array"],
      [() => loose(runInference)({ model: () => ({}), messages: 'Warm?' }), "messages must be an array of messages, got 'Warm?'"],
      [() => loose(parseStructured)({ type: 'object' }, '{}'), 'schema must be a Standard Schema', "got '{}'"],
    ],
  ],
  [
    'S4-methods',
    'middleware, metrics and alerts',
    [
      [() => new ResponseValidationMiddleware('openai' as never), "ResponseValidationMiddleware must be an object, got 'openai'", 'format'],
      [() => new ResponseValidationMiddleware({ format: 'openai' } as never), 'format must be one of openai-chat', "got 'openai'"],
      [() => loose(validate)({ messages: [] }, 'openai-chat'), "validate must be an object, got 'openai-chat'", 'format'],
      [() => loose(guardFetch)({ retries: 3 }), "guardFetch: 'fetch' is object", 'globalThis.fetch'],
      [() => loose(createMetrics)({ tools: {} }), 'createMetrics.tools must be an array of tool names, got an object'],
      [() => loose(defaultAlertRules)({ failureRate: 5 }), 'failureRate must be a share above 0 and below 1, got 5'],
    ],
  ],
  [
    'S1-2.5',
    'manifests',
    [
      [() => entry('retries: 3'), 'tools[0].retries → retry_policy'],
      [() => entry('maxRetries: 3'), 'tools[0].maxRetries → retry_policy.max_attempts'],
      [() => entry('max_attempts: 3'), 'tools[0].max_attempts → retry_policy.max_attempts'],
      [() => entry('breaker: { open_ms: 3 }'), 'tools[0].breaker → circuit_breaker'],
      [() => entry('timeout: 30'), 'tools[0].timeout → timeout_ms'],
      [() => entry('timeout_ms: 30s'), 'tools[0].timeout_ms → 30000'],
      [() => entry('retry_policy: { minTimeout: 3 }'), 'retry_policy.minTimeout → initial_delay_ms'],
      [() => entry('retry_policy: { factor: 3 }'), 'retry_policy.factor → multiplier'],
      [() => entry('circuit_breaker: { resetTimeout: 3 }'), 'circuit_breaker.resetTimeout → open_ms'],
      [() => entry('circuit_breaker: { errorThresholdPercentage: 3 }'), 'circuit_breaker.errorThresholdPercentage → rate'],
      [() => entry('effect: write'), "tools[0].effect → one of 'read', 'idempotent', 'unsafe'"],
      [() => manifest("tools: [{ name: weather, run: { http: { url: 'http://weather.test' } } }]"), 'tools[0].name → id'],
      [() => manifest('tools: [{ id: weather, command: node }]'), 'tools[0].command → run.command'],
      [() => manifest('tools: { weather: {} }'), 'tools → a list'],
      [() => file('turn: { timeout: 300 }'), 'turn.timeout → timeout_ms'],
      [() => file('policy: { timeout_ms: 3 }'), 'policy → defaults'],
      [() => file('servers: { a: { command: node } }'), 'servers → mcp_servers'],
      [() => file('retries: 3'), 'retries → defaults.retry_policy'],
      [() => problemsOf(parseTurn('calls: [{ tool: weather }]')), 'calls[0].tool → tool_id'],
    ],
  ],
];

async function complaintOf(give: () => unknown): Promise<string> {
  try {
    return String(await give());
  } catch (error) {
    return (error as Error).message;
  }
}

describe.each(groups)('%s: %s', (tag, _name, cases) => {
  test.each(cases.map(([give, ...words]) => ({ give, words, title: words[0] })))(
    '$title',
    { tags: [tag as 'S0-2.2'] },
    async ({ give, words }) => {
      const complaint = await complaintOf(give);
      for (const word of words) expect(complaint).toContain(word);
    },
  );
});
