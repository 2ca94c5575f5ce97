/** The lists of S0 1 and the categories of S4, in every shape in which an error carries them, and the rules of a manifest, against plain tables. */
import { classify, compileRules, ToolExecutionService, type ClassificationRule } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from './support/property-runs.ts';
import { fails, scriptedTool, succeeds } from './support/scripted-tool.ts';

const nowEpochMs = Date.UTC(2025, 10, 5, 10, 30, 45);

interface Kind {
  readonly name: string;
  readonly classification: 'transient' | 'permanent';
  readonly category: string;
  /** The code of the result. */
  readonly result: string;
  /** Words that the user reads; each category has its own. */
  readonly says: RegExp;
  readonly statuses?: readonly number[];
  readonly codes?: readonly string[];
  readonly messages?: readonly string[];
  /** Names of failures, as a code or as the name of the error. */
  readonly symbols?: readonly string[];
  /** Whole errors, as libraries throw them. */
  readonly thrown?: readonly unknown[];
}

const error = (message: string, fields: object = {}): Error => Object.assign(new Error(message), fields);

const kinds: readonly Kind[] = [
  {
    name: 'network error',
    classification: 'transient',
    category: 'network',
    result: 'NETWORK_ERROR',
    says: /could not be reached/u,
    symbols: ['ConnectionResetError', 'CONNECTION_REFUSED', 'NETWORK_ERROR'],
    codes: ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_SOCKET'],
    messages: ['Connection reset', 'Connection reset by peer', 'socket hang up', 'connect ECONNREFUSED 10.0.0.1:443'],
  },
  {
    name: 'timeout',
    classification: 'transient',
    category: 'timeout',
    result: 'TIMEOUT',
    says: /did not respond in time/u,
    symbols: ['RequestTimeout', 'DEADLINE_EXCEEDED'],
    statuses: [408, 504],
    codes: ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'],
    messages: ['Connection timeout after 30s', 'Request timed out'],
  },
  {
    name: 'rate limit',
    classification: 'transient',
    category: 'rate_limit',
    result: 'RATE_LIMITED',
    says: /is busy right now/u,
    symbols: ['TooManyRequestsException', 'ThrottlingException', 'RATE_LIMIT_EXCEEDED'],
    statuses: [429],
    messages: ['Rate limit exceeded (429)', 'Too Many Requests'],
  },
  {
    name: 'temporarily unavailable',
    classification: 'transient',
    category: 'unavailable',
    result: 'SERVICE_UNAVAILABLE',
    says: /temporarily unavailable/u,
    symbols: ['ServiceUnavailableException', 'SERVICE_UNAVAILABLE'],
    statuses: [503, 502],
    messages: ['Service unavailable (503)', 'Service temporarily unavailable'],
  },
  {
    name: 'authentication failure',
    classification: 'permanent',
    category: 'auth',
    result: 'AUTHENTICATION_FAILED',
    says: /could not sign in/u,
    symbols: ['AUTHENTICATION_FAILED', 'InvalidCredentials', 'UNAUTHENTICATED'],
    statuses: [401],
    messages: ['Authentication failed (401)', 'Invalid credentials'],
  },
  {
    name: 'missing permission',
    classification: 'permanent',
    category: 'permission',
    result: 'PERMISSION_DENIED',
    says: /not allowed/u,
    symbols: ['AccessDeniedException', 'PERMISSION_DENIED'],
    statuses: [403],
    codes: ['EACCES', 'EPERM'],
    messages: ['Forbidden (403)', 'Permission denied'],
  },
  {
    name: 'not found',
    classification: 'permanent',
    category: 'not_found',
    result: 'NOT_FOUND',
    says: /could not find/u,
    symbols: ['ResourceNotFoundException', 'NOT_FOUND'],
    statuses: [404, 410],
    codes: ['ENOENT'],
    messages: ['Not found (404)'],
  },
  {
    name: 'invalid input',
    classification: 'permanent',
    category: 'invalid_input',
    result: 'INVALID_INPUT',
    says: /could not process this request/u,
    symbols: ['ValidationException', 'INVALID_ARGUMENT'],
    statuses: [400, 422],
    messages: ['Invalid airport code: XYZ', 'Validation failed (400)'],
    thrown: [
      error('It failed', { name: 'ZodError', issues: [{ path: ['city'], message: 'Required' }] }),
      error('It failed', { issues: [{ path: ['city'], message: 'Required' }] }),
      { issues: [{ message: 'Required' }] },
      error('Parameter city is wrong', { name: 'ToolValidationError' }),
      error('It failed', { isJoi: true }),
      error('It failed', { schemaPath: '#/required' }),
    ],
  },
  {
    name: 'unsupported operation',
    classification: 'permanent',
    category: 'unsupported',
    result: 'UNSUPPORTED_OPERATION',
    says: /does not support/u,
    symbols: ['UNIMPLEMENTED', 'NotImplementedException', 'UNSUPPORTED_OPERATION'],
    statuses: [405, 501],
    codes: ['ENOTSUP', 'ENOSYS'],
    messages: ['Unsupported operation'],
  },
];

/** Kinds that no document lists: what the library tells of them is whole too. */
const otherKinds: readonly Kind[] = [
  {
    name: 'conflict',
    classification: 'permanent',
    category: 'conflict',
    result: 'CONFLICT',
    says: /something changed in the meantime/u,
    statuses: [409, 412],
  },
  {
    name: 'quota',
    classification: 'permanent',
    category: 'quota_exhausted',
    result: 'QUOTA_EXHAUSTED',
    says: /used up its quota/u,
    statuses: [402],
    symbols: ['insufficient_quota'],
  },
  {
    name: 'mistake in a program',
    classification: 'permanent',
    category: 'bug',
    result: 'TOOL_BUG',
    says: /failed unexpectedly/u,
    thrown: [new TypeError("Cannot read properties of undefined (reading 'city')"), new ReferenceError('city is not defined')],
  },
  {
    name: 'unknown',
    classification: 'transient',
    category: 'unknown',
    result: 'TOOL_ERROR',
    says: /failed unexpectedly/u,
    thrown: ['It broke', error('It broke'), undefined, 7],
  },
];

const shapes: readonly (readonly [string, (status: number) => unknown])[] = [
  ['status', (status) => error('Request failed', { status })],
  ['statusCode', (statusCode) => error('Request failed', { statusCode })],
  ['response.status', (status) => error('Request failed', { response: { status } })],
  ['an object', (status) => ({ message: 'Request failed', status })],
  ['a string', (status) => error('Request failed', { status: String(status) })],
  ['the inner error', (status) => ({ error: { message: 'Request failed', status } })],
  ['a list of errors', (status) => error('Some requests failed', { errors: [error('Request failed', { status })] })],
  [
    'an aggregate',
    (status) => new AggregateError([error('Request failed', { status }), error('Request failed', { status })], 'All failed'),
  ],
  ['the cause', (status) => error('The search failed', { cause: error('Request failed', { status }) })],
  ['the words', (status) => error(`Request failed with status code ${status}`)],
];
const codeShapes: readonly (readonly [string, (code: string) => unknown])[] = [
  ['code', (code) => error('It failed', { code })],
  ['the cause', (code) => new TypeError('fetch failed', { cause: error('It failed', { code }) })],
  ['an object', (code) => ({ message: 'It failed', code })],
  ['the inner error', (code) => ({ error: { message: 'It failed', code } })],
  ['an aggregate', (code) => new AggregateError([error('It failed', { code }), error('It failed', { code })], 'All failed')],
];
const wordShapes: readonly (readonly [string, (message: string) => unknown])[] = [
  ['an error', (message) => error(message)],
  ['a string', (message) => message],
  ['an object', (message) => ({ message })],
  ['the inner error', (message) => ({ error: { message } })],
  ['its text', (message) => ({ error: message })],
  ['a list of errors', (message) => ({ errors: [{ message }] })],
  ['a list', (message) => [error(message)]],
  ['the cause', (message) => error('The search failed', { cause: error(message) })],
];

const symbolShapes: typeof codeShapes = [
  ...codeShapes,
  ['the name', (name) => error('It failed', { name })],
  ['code and words', (code) => error('Something else happened', { code })],
];
const casesOf = ({
  statuses = [],
  codes = [],
  symbols = [],
  messages = [],
  thrown = [],
}: Kind): readonly (readonly [string, unknown])[] => [
  ...statuses.flatMap((status) => shapes.map(([where, make]) => [`${status} as ${where}`, make(status)] as const)),
  ...codes.flatMap((code) => codeShapes.map(([where, make]) => [`${code} as ${where}`, make(code)] as const)),
  ...symbols.flatMap((symbol) => symbolShapes.map(([where, make]) => [`${symbol} as ${where}`, make(symbol)] as const)),
  ...messages.flatMap((message) => wordShapes.map(([where, make]) => [`'${message}' as ${where}`, make(message)] as const)),
  ...thrown.map((each, index) => [`error ${index}`, each] as const),
];

/** What a tool throws for arguments that it finds invalid itself is as if they had been found invalid before. */
const isOfArguments = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === 'ToolValidationError';

describe.each([...kinds, ...otherKinds].map((kind) => [kind.name, kind] as const))('%s', (_name, kind) => {
  const { classification, category, result: code, says } = kind;
  test(
    'in every shape: class, category, retries and words for the user',
    { tags: ['S0-1.1', 'S0-1.2', 'S0-1.3', 'S4-categories', 'S4-retry'] },
    async () => {
      const system = manualSystem();
      for (const [what, thrown] of casesOf(kind)) {
        expect(classify(thrown, { nowEpochMs }), what).toMatchObject({ classification, category });
        const tool = scriptedTool(system, 'flight_search', [fails(thrown), fails(thrown), succeeds()], { retry: { maxAttempts: 2 } });
        const service = new ToolExecutionService({ tools: [tool.tool], system });
        // oxlint-disable-next-line no-await-in-loop -- on one clock, one after the other
        const result = await system.until(service.executeTool({ toolName: 'flight_search' }));
        expect(result, what).toMatchObject({
          status: 'error',
          error: {
            code: isOfArguments(thrown) ? 'INVALID_ARGUMENTS' : code,
            classification,
            category,
            retryable: classification === 'transient',
          },
        });
        expect(result.error?.userMessage, what).toMatch(says);
        expect(tool.starts, what).toHaveLength(classification === 'transient' ? 2 : 1);
        // oxlint-disable-next-line no-await-in-loop -- its timers end with it
        await service.close();
      }
    },
  );
});

test('what is not listed is transient', { tags: ['S0-1.3'] }, () => {
  const unknown = [error('It broke'), 'It broke', { message: 'It broke' }, error('It broke', { code: 'E_OWN' }), undefined, null, 7, {}];
  for (const [index, thrown] of unknown.entries())
    expect(classify(thrown, { nowEpochMs }), `${index}`).toMatchObject({ classification: 'transient', category: 'unknown' });
});

const statuses = [400, 429, 503] as const;
const codes = ['E_ONE', 'E_TWO'] as const;
const names = ['OneError', 'TwoError'] as const;
const words = ['no seats', 'no rooms'] as const;

interface Layer {
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly name: string | undefined;
  readonly message: string;
}
const option = <Value extends string | number>(values: readonly Value[]): fc.Arbitrary<Value | undefined> =>
  fc.constantFrom(undefined, ...values);
const layers = fc.array(
  fc.record({ status: option(statuses), code: option(codes), name: option(names), message: fc.constantFrom(...words, 'failed') }),
  { minLength: 1, maxLength: 3 },
);

/** An error whose causes are the further layers. */
const nested = ([{ message, ...fields }, ...rest]: readonly [Layer, ...Layer[]]): Error =>
  error(message, {
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    ...(rest.length === 0 ? {} : { cause: nested(rest as [Layer, ...Layer[]]) }),
  });

const overrides: fc.Arbitrary<readonly ClassificationRule[]> = fc.array(
  fc
    .record({
      status: fc.constantFrom(undefined, ...statuses, [400, 503] as const),
      code: option(codes),
      name: option(names),
      message: option(words),
      as: fc.constantFrom('transient' as const, 'permanent' as const),
    })
    .map((rule) => Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined)) as unknown as ClassificationRule)
    .filter((rule) => Object.keys(rule).length > 1),
  { maxLength: 4 },
);

test("a tool's rules: the first whose every condition holds somewhere in the error decides", { tags: ['S0-1.3', 'S1-1.5'] }, () => {
  fc.assert(
    fc.property(layers, overrides, (chain, rules) => {
      const holds = ({ status, code, name, message }: ClassificationRule): boolean =>
        (status === undefined || chain.some((layer) => [status].flat().includes(layer.status as number))) &&
        (code === undefined || chain.some((layer) => layer.code === code)) &&
        (name === undefined || chain.some((layer) => layer.name === name)) &&
        (message === undefined || chain.some((layer) => layer.message.includes(message)));
      const first = rules.find(holds);
      const thrown = nested(chain as [Layer, ...Layer[]]);
      const found = classify(thrown, { nowEpochMs, overrides: compileRules(rules) });
      const expected = first ?? { as: classify(thrown, { nowEpochMs }).classification };
      expect(found.classification).toBe(expected.as);
      expect(found.rule.startsWith('override:')).toBe(first !== undefined);
    }),
    propertyRuns(400),
  );
});
