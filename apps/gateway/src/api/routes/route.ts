/** Owns what a route of the API is, and putting routes into the application: what the document says is what is checked. */
import { type OpenAPIHono, type RouteConfig, type z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { parseJson, readBody } from '../body.ts';
import type { ApiLimits, Caller } from '../parts.ts';
import { type Refusal, refusalOf, refuse } from '../problem.ts';
import { problemSchema, problemsOf } from '../schemas/problem.ts';

export interface ApiEnvironment {
  readonly Bindings: { readonly caller: Caller };
}

export type ApiApplication = OpenAPIHono<ApiEnvironment>;
export type ApiContext = Context<ApiEnvironment>;

export interface ApiRoute {
  readonly config: RouteConfig;
  readonly answer: (context: ApiContext) => Response | Promise<Response>;
}

type Redact = (text: string) => string;

export function addRoutes(application: ApiApplication, routes: readonly ApiRoute[], redact: Redact): void {
  for (const { config, answer } of routes) {
    application.openapi(config, answer, (result) => {
      if (result.success) return undefined;
      const { target, data, error } = result as unknown as { readonly target: string; readonly data: unknown; readonly error: z.ZodError };
      return refuse(refusalOf(400, problemsOf(error, schemaOf(config, target), data)), redact);
    });
  }
}

/** What a route was given and its schema has taken. The schema is named for its type. */
export function validated<Value>(context: ApiContext, target: 'query' | 'param' | 'header', _schema: z.ZodType<Value>): Value {
  return context.req.valid(target as never) as Value;
}

type Content = NonNullable<RouteConfig['responses'][number]>;

export const jsonAnswer = (schema: z.ZodType, description: string): Content => ({
  description,
  content: { 'application/json': { schema } },
});

const why: Readonly<Record<number, string>> = {
  400: 'The request cannot be read.',
  401: 'It needs a token.',
  404: 'There is no such thing.',
  406: 'None of the accepted types can be given.',
  409: 'It contradicts what is there.',
  413: 'The body is too large.',
  415: 'The body is of a type that cannot be read.',
  422: 'The body can be read, and not used.',
  429: 'Too much at once; see `Retry-After`.',
  503: 'Not now; see `Retry-After`.',
};

/** The refusals that a route may answer. */
export function refusals(...statuses: readonly number[]): Record<number, Content> {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      { description: why[status] ?? '', content: { 'application/problem+json': { schema: problemSchema } } },
    ]),
  );
}

/** A JSON text, or a value to be told in JSON. */
export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  const length = String(bytes.byteLength);
  return new Response(bytes, {
    status,
    headers: { 'content-type': 'application/json', 'content-length': length, 'cache-control': 'no-store', ...headers },
  });
}

/** A JSON text in bytes. */
export const bytesAnswer = (bytes: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(bytes, {
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.byteLength), 'cache-control': 'no-store', ...headers },
  });

function schemaOf({ request }: RouteConfig, target: string): z.ZodType | undefined {
  if (target === 'query') return request?.query;
  return target === 'param' ? request?.params : undefined;
}

/** The JSON body of a request, as its schema takes it. */
export async function readJson<Value>(
  request: Request,
  schema: z.ZodType<Value>,
  limits: ApiLimits,
): Promise<{ readonly value: Value; readonly refusal?: undefined } | { readonly refusal: Refusal }> {
  const body = await readBody(request, ['json'], limits);
  if (body.refusal) return body;
  const parsed = parseJson(body.text);
  if (parsed.refusal) return parsed;
  const read = schema.safeParse(parsed.value);
  return read.success ? { value: read.data } : { refusal: refusalOf(422, problemsOf(read.error, schema, parsed.value)) };
}

/** The schema of a component of the document. */
export const reference = (name: string): { readonly $ref: string } => ({ $ref: `#/components/schemas/${name}` });

/** Parameters are always an object of them, which the types of their schemas do not tell. */
export const parameters = (schema: z.ZodType): z.ZodObject => schema as z.ZodObject;
