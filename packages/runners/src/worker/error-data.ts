/**
 * Owns converting errors to plain data and back: a structured clone drops `code` and `status` of an error, so own properties are sent
 * separately. Runs on both sides of the thread.
 */

const depthLimit = 8;

interface ErrorData {
  readonly isError: true;
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly cause: unknown;
  readonly hasCause: boolean;
  readonly errors: readonly unknown[] | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Any thrown value as cloneable data. */
export function errorToData(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return cloneable(error);
  const { name, message, stack, cause } = error;
  const errors: unknown = Reflect.get(error, 'errors');
  const inner = (value: unknown): unknown => (depth < depthLimit ? errorToData(value, depth + 1) : undefined);
  const data: ErrorData = {
    isError: true,
    name: String(name),
    message: String(message),
    stack: typeof stack === 'string' ? stack : undefined,
    hasCause: 'cause' in error,
    cause: inner(cause),
    errors: Array.isArray(errors) ? errors.slice(0, 16).map(inner) : undefined,
    fields: ownFields(error),
  };
  return data;
}

/** The error again, with its name, fields and causes. */
export function errorFromData(data: unknown): unknown {
  if (!isErrorData(data)) return data;
  const error = data.hasCause ? new Error(data.message, { cause: errorFromData(data.cause) }) : new Error(data.message);
  for (const [field, value] of Object.entries({ ...data.fields, ...(data.errors && { errors: data.errors.map(errorFromData) }) }))
    Object.defineProperty(error, field, { value, enumerable: true, writable: true, configurable: true });
  for (const [field, value] of Object.entries({ name: data.name, stack: data.stack }))
    if (value !== undefined) Object.defineProperty(error, field, { value, writable: true, configurable: true });
  return error;
}

function isErrorData(data: unknown): data is ErrorData {
  return typeof data === 'object' && data !== null && (data as { readonly isError?: unknown }).isError === true;
}

const carriedApart = new Set(['name', 'message', 'stack', 'cause', 'errors']);

function ownFields(error: Error): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const field of Object.keys(error)) {
    if (carriedApart.has(field)) continue;
    try {
      fields[field] = cloneable((error as unknown as Readonly<Record<string, unknown>>)[field]);
    } catch {
      // A getter that throws is skipped.
    }
  }
  return fields;
}

function cloneable(value: unknown): unknown {
  if (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'symbol') return value;
  try {
    return structuredClone(value);
  } catch {
    return withoutMethods(value);
  }
}

/** For objects with methods, such as the response of an HTTP client: keeps plain fields, one level deep. */
function withoutMethods(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return String(value);
  const plain = Object.entries(value).filter(
    ([, each]) => typeof each !== 'object' && typeof each !== 'function' && typeof each !== 'symbol',
  );
  return Object.fromEntries(plain);
}
