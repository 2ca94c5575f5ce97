/** Owns the type of a route, and adding routes to the application. Requests are checked against the schemas of the document. */
import { type OpenAPIHono, type RouteConfig, type z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { parseLargeJson, readBody } from '../body.ts';
import { type Need, refusalFor } from '../may-act.ts';
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
  /** The role that a caller needs. @default none */
  readonly needs?: Need;
  readonly answer: (context: ApiContext) => Response | Promise<Response>;
}

type Redact = (text: string) => string;

export function addRoutes(application: ApiApplication, routes: readonly ApiRoute[], redact: Redact): void {
  for (const route of routes) {
    const config = documented(route);
    application.openapi(config, guarded(route, redact), (result) => {
      if (result.success) return undefined;
      const { target, data, error } = result as unknown as { readonly target: string; readonly data: unknown; readonly error: z.ZodError };
      return refuse(refusalOf(400, problemsOf(error, schemaOf(config, target), data)), redact);
    });
  }
}

/** A role is checked before anything else is done. */
function guarded({ needs, answer }: ApiRoute, redact: Redact): ApiRoute['answer'] {
  if (needs === undefined) return answer;
  return (context) => {
    const refusal = refusalFor(context.env.caller, needs);
    return refusal === undefined ? answer(context) : refuse(refusal, redact);
  };
}

function documented({ config, needs }: ApiRoute): RouteConfig {
  if (needs === undefined) return config;
  return { ...config, responses: { ...config.responses, ...refusals(401, 403) } };
}

/** Returns validated input of a route. The schema is a parameter only for its type. */
export function readValid<Value>(context: ApiContext, target: 'query' | 'param' | 'header', _schema: z.ZodType<Value>): Value {
  return context.req.valid(target as never) as Value;
}

type Content = NonNullable<RouteConfig['responses'][number]>;

export const jsonAnswer = (schema: z.ZodType, description: string): Content => ({
  description,
  content: { 'application/json': { schema } },
});

const why: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  401: 'A token is required.',
  403: 'A role is required that the caller does not have.',
  404: 'Not found.',
  406: 'None of the accepted types is available.',
  409: 'The request conflicts with an earlier one.',
  413: 'The body is too large.',
  415: 'The type of the body is not supported.',
  422: 'The body is well formed but invalid.',
  429: 'Too many requests at the same time; see `Retry-After`.',
  503: 'Not available now; see `Retry-After`.',
};

/** Responses for the refusals of a route. */
export function refusals(...statuses: readonly number[]): Record<number, Content> {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      { description: why[status] ?? '', content: { 'application/problem+json': { schema: problemSchema } } },
    ]),
  );
}

/** Answers with a value as JSON, or with a string that is JSON already. */
export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  const length = String(bytes.byteLength);
  return new Response(bytes, {
    status,
    headers: { 'content-type': 'application/json', 'content-length': length, 'cache-control': 'no-store', ...headers },
  });
}

/** Answers with bytes that are JSON already. */
export const bytesAnswer = (bytes: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(bytes, {
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.byteLength), 'cache-control': 'no-store', ...headers },
  });

function schemaOf({ request }: RouteConfig, target: string): z.ZodType | undefined {
  if (target === 'query') return request?.query;
  return target === 'param' ? request?.params : undefined;
}

/** Reads the JSON body of a request and validates it. */
export async function readJson<Value>(
  request: Request,
  schema: z.ZodType<Value>,
  limits: ApiLimits,
): Promise<{ readonly value: Value; readonly refusal?: undefined } | { readonly refusal: Refusal }> {
  const body = await readBody(request, ['json'], limits);
  if (body.refusal) return body;
  const parsed = await parseLargeJson(body.text, limits.bodyDepth);
  if (parsed.refusal) return parsed;
  const read = schema.safeParse(parsed.value);
  return read.success ? { value: read.data } : { refusal: refusalOf(422, problemsOf(read.error, schema, parsed.value)) };
}

/** A reference to a schema of the document. */
export const reference = (name: string): { readonly $ref: string } => ({ $ref: `#/components/schemas/${name}` });

/** Schemas of parameters are always objects, which their types do not show. */
export const parameters = (schema: z.ZodType): z.ZodObject => schema as z.ZodObject;
