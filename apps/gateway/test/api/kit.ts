/** Owns an API over a real service with scripted tools, and requests to it: every answer is checked against its document. */
import { defineTool, memoryStore, ToolExecutionService, type ToolExecutionServiceOptions } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Access } from '../../src/access/access.ts';
import { createApi } from '../../src/api/api.ts';
import { createGatewayHistory, type GatewayHistoryOptions } from '../../src/history/gateway-history.ts';
import type { ApiParts } from '../../src/api/parts.ts';

/** Answers are checked against the document at run time, so tests read them without types. */
// oxlint-disable-next-line typescript/no-explicit-any -- see above
export type AnyJson = any;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, AnyJson>;
}

export interface AskOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly principal?: string;
  readonly access?: Access;
  readonly signal?: AbortSignal;
}

/** The documented answers that were seen: `GET /v1/turns 200`. */
export const seen = new Set<string>();

export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

export function gate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Tools whose arguments determine their behaviour. */
function scripted(waiting: Gate = gate()) {
  const calls: { readonly tool: string; readonly arguments: unknown; readonly key: string }[] = [];
  const note = (tool: string, args: unknown, context: { readonly idempotencyKey: string }): void =>
    void calls.push({ tool, arguments: args, key: context.idempotencyKey });
  const tools = [
    defineTool({
      name: 'echo',
      description: 'Returns its arguments.',
      input: { type: 'object' },
      run: async (args: unknown, context) => {
        note('echo', args, context);
        return args;
      },
    }),
    defineTool({
      name: 'wait',
      run: async (args: unknown, context) => {
        note('wait', args, context);
        await Promise.race([
          waiting.opened,
          new Promise((_resolve, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason))),
        ]);
        return { waited: true };
      },
    }),
    defineTool({
      name: 'fail',
      retry: { initialDelayMs: 1, maxAttempts: 2 },
      run: async ({ code = 'ECONNRESET', message = 'reset' }: { readonly code?: string; readonly message?: string }) => {
        throw Object.assign(new Error(message), { code });
      },
    }),
    defineTool({ name: 'large', run: async ({ chars }: { readonly chars: number }) => 'x'.repeat(chars) }),
  ] as const;
  return { tools, calls };
}

export interface KitOptions extends Partial<Omit<ApiParts, 'service'>> {
  readonly service?: Partial<ToolExecutionServiceOptions>;
  readonly tools?: ToolExecutionServiceOptions['tools'];
  readonly waiting?: Gate;
  /** Without a store. */
  readonly storeless?: boolean;
  /** With a history. */
  readonly history?: Partial<GatewayHistoryOptions>;
}

/** There are only the tools of the service. */
const noCatalog = { list: () => [], get: () => undefined, ready: () => Promise.resolve(), subscribe: () => () => undefined };

export type Kit = ReturnType<typeof createKit>;

export function createKit({ service: options = {}, tools, waiting = gate(), storeless = false, history, ...parts }: KitOptions = {}) {
  const script = scripted(waiting);
  const store: Store | undefined = storeless ? undefined : (parts.store ?? memoryStore());
  const service = new ToolExecutionService({ tools: tools ?? script.tools, ...(store ? { store } : {}), ...options });
  const past =
    history && createGatewayHistory({ service, catalog: noCatalog, store, retentionDays: 14, onFault: () => undefined, ...history });
  const api = createApi({ service, ...parts, ...(past ? { past } : {}), ...(store ? { store } : {}) });
  const send = (method: string, path: string, { body, headers = {}, principal, access, signal }: AskOptions = {}): Promise<Response> => {
    const text =
      body === undefined
        ? null
        : typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream
          ? body
          : JSON.stringify(body);
    const request = new Request(`http://gateway.test${path}`, {
      method,
      headers: { ...(text === null ? {} : { 'content-type': 'application/json' }), ...headers },
      body: text as NonNullable<RequestInit['body']> | null,
      signal: signal ?? null,
      ...(text instanceof ReadableStream ? { duplex: 'half' } : {}),
    } as RequestInit);
    return api.fetch(request, {
      ...(principal === undefined ? {} : { principal }),
      ...(access === undefined ? {} : { access }),
    });
  };
  const ask = async (method: string, path: string, given?: AskOptions): Promise<Answer> => {
    const response = await send(method, path, given);
    const text = await response.text();
    const answer = { status: response.status, headers: response.headers, text, body: isJson(response) ? JSON.parse(text) : {} };
    await checkAnswer(api, method, path, answer);
    return answer;
  };
  return {
    api,
    service,
    store,
    past,
    waiting,
    calls: script.calls,
    send,
    ask,
    get: (path: string, given?: AskOptions) => ask('GET', path, given),
    post: (path: string, body?: unknown, given?: AskOptions) => ask('POST', path, { body, ...given }),
  };
}

const isJson = (response: Response): boolean => /[/+]json$/.test(response.headers.get('content-type') ?? '');

interface Document {
  readonly paths: Record<
    string,
    Record<string, { readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: object }> }> }>
  >;
  readonly components: { readonly schemas: Record<string, object> };
}

let known: Promise<{ readonly document: Document; readonly ajv: Ajv2020 }> | undefined;

/** The document is the same for every API. */
async function documentOf(api: ReturnType<typeof createApi>) {
  const response = await api.fetch(new Request('http://gateway.test/openapi.json'), {});
  const document = (await response.json()) as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  formats.default(ajv as unknown as Parameters<typeof formats.default>[0]);
  ajv.addSchema({ $id: 'http://gateway.test/document', components: closed(document.components) as object });
  return { document, ajv };
}

/** Rejects undocumented fields, although clients must ignore them. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]));
  if (copy['type'] === 'object' && typeof copy['properties'] === 'object' && !('additionalProperties' in copy))
    copy['additionalProperties'] = false;
  return copy;
}

async function checkAnswer(api: ReturnType<typeof createApi>, method: string, path: string, answer: Answer): Promise<void> {
  const { document, ajv } = await (known ??= documentOf(api));
  const template = templateOf(document, path);
  const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
  const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()];
  if (operation === undefined) {
    if (method !== 'HEAD' && ![404, 405].includes(answer.status))
      throw new Error(`${method} ${path} answered ${answer.status} and is not documented`);
    return;
  }
  const response = operation.responses[answer.status];
  const place = `${method} ${template} ${answer.status}`;
  if (response === undefined) throw new Error(`${place} is not documented: ${answer.text.slice(0, 500)}`);
  seen.add(place);
  if (response.content === undefined) {
    if (answer.text !== '') throw new Error(`${place} has an undocumented body`);
    return;
  }
  const media = response.content[type];
  if (media === undefined) throw new Error(`${place} is not documented as ${type}`);
  if (!type.endsWith('json')) return;
  const values =
    type === 'application/x-ndjson'
      ? answer.text
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as unknown)
      : [answer.body];
  const schema = JSON.parse(
    JSON.stringify(closed(media.schema)).replaceAll('"#/components/', '"http://gateway.test/document#/components/'),
  ) as object;
  const validate = ajv.compile(schema);
  for (const value of values)
    if (!validate(value))
      throw new Error(`${place} does not match its schema: ${JSON.stringify(validate.errors)}\n${JSON.stringify(value).slice(0, 2000)}`);
}

function templateOf(document: Document, path: string): string | undefined {
  const steps = (path.split('?')[0] ?? '').split('/');
  const fits = (template: string): boolean => {
    const wanted = template.split('/');
    return wanted.length === steps.length && wanted.every((step, index) => step.startsWith('{') || step === steps[index]);
  };
  return Object.keys(document.paths).find((template) => template === path) ?? Object.keys(document.paths).find(fits);
}

/** One event of a stream of server-sent events. */
export interface Sent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: AnyJson;
}

export function sentEvents(text: string): readonly Sent[] {
  return text
    .split('\n\n')
    .filter((block) => /^(?:data|event|id):/m.test(block))
    .map((block) => {
      const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      return { event: field('event') ?? 'message', id: field('id'), data: JSON.parse(field('data') ?? 'null') };
    });
}

export const plan = (turnId: string | undefined, ...calls: readonly object[]): object => ({
  ...(turnId === undefined ? {} : { turn_id: turnId }),
  calls,
});

/** Resolves when `holds` returns true. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
