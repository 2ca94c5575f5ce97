/**
 * Owns schemas of arguments whose rejections are seen. The SDK checks the arguments of a call before its approval, and hides what was wrong with them from everything
 * that it calls later.
 *
 * Invariants
 * 1. Arguments that the given schema accepts are what it made of them.
 * 2. The SDK sees the schema's own error.
 */
export interface Schema {
  readonly parse?: (value: unknown) => unknown;
  readonly '~standard'?: Standard;
}

interface Standard {
  readonly validate: (value: unknown) => Validated | PromiseLike<Validated>;
}

interface Validated {
  readonly value?: unknown;
  readonly issues?: unknown;
}

/** Receives what becomes of the arguments of a tool. */
export interface Watcher {
  /** Accepts arguments that the schema has accepted, so that they are known by what it made of them. */
  readonly accept: (parsed: unknown, value: unknown) => void;
  /** Arguments with another reading, if the schema has rejected these. */
  readonly reread: (value: unknown) => { readonly value: unknown } | undefined;
  /** Keeps why arguments were rejected, because the SDK hides it. */
  readonly reject: (value: unknown, error: unknown) => void;
}

/** Whether the value checks arguments itself, as Zod and other Standard Schemas do and a JSON Schema does not. */
export function isSchema(parameters: unknown): parameters is Schema {
  const { parse, '~standard': standard } = Object(parameters) as Schema;
  return typeof parse === 'function' || standard !== undefined;
}

/** A schema that reports to a conversation. A JSON Schema is returned unchanged. */
export function watchedSchema(parameters: unknown, watcher: Watcher): unknown {
  if (!isSchema(parameters)) return parameters;
  const { parse, '~standard': standard } = parameters;
  // What the SDK reads of a schema stays where it was.
  return Object.create(parameters, {
    ...(parse && { parse: { value: watchedParse((value) => parse.call(parameters, value), watcher) } }),
    ...(standard && { '~standard': { value: { ...standard, validate: watchedValidate(standard, watcher) } } }),
  }) as unknown;
}

/** What the SDK converts for a conversation: as little as possible, since nothing reads it. */
const anyObject = { type: 'object', properties: {}, required: [], additionalProperties: false } as const;
const jsonSchema = { input: () => anyObject, output: () => anyObject } as const;

/**
 * Makes schemas for conversations that the SDK need not convert, which takes as long as many calls. `undefined` if the SDK would do more with arguments than pass them
 * to the schema: it removes a `null` where a field is optional.
 *
 * @param shown the converted schema
 */
export function quickSchemaOf(parameters: unknown, shown: unknown): ((watcher: Watcher) => unknown) | undefined {
  if (!isSchema(parameters) || JSON.stringify(shown).includes('null')) return undefined;
  const { parse, '~standard': standard } = parameters;
  const made = (validate: Standard['validate']): unknown => ({ '~standard': { version: 1, vendor: 'holdfast', validate, jsonSchema } });
  if (parse && isZodObject(parameters))
    return (watcher) => {
      const watched = watchedParse((value) => parse.call(parameters, value), watcher);
      return made((value) => ({ value: watched(value) }));
    };
  return standard && !parse ? (watcher) => made(watchedValidate(standard, watcher)) : undefined;
}

/** Zod 4 and 3. The SDK calls `parse` of these, and `validate` of others. */
function isZodObject(schema: Schema): boolean {
  const { _zod: four, _def: three } = schema as {
    readonly _zod?: { readonly def?: { readonly type?: unknown } };
    readonly _def?: { readonly typeName?: unknown };
  };
  return four === undefined ? three?.typeName === 'ZodObject' : four.def?.type === 'object';
}

function watchedParse(parse: (value: unknown) => unknown, { accept, reread, reject }: Watcher): (value: unknown) => unknown {
  return (value) => {
    try {
      return accepted(parse(value), value, accept);
    } catch (error) {
      const other = reread(value);
      if (other)
        try {
          return accepted(parse(other.value), other.value, accept);
        } catch {
          // The first error is about what was sent.
        }
      reject(value, error);
      throw error;
    }
  };
}

function watchedValidate(standard: Standard, { accept, reread, reject }: Watcher): Standard['validate'] {
  return (value) => {
    const validated = standard.validate(value);
    // The SDK refuses a schema that is asynchronous.
    if ('then' in validated) return validated;
    if (!validated.issues) return { ...validated, value: accepted(validated.value, value, accept) };
    const other = reread(value);
    const second = other && standard.validate(other.value);
    if (other && second && !('then' in second) && !second.issues) return { ...second, value: accepted(second.value, other.value, accept) };
    reject(value, validated);
    return validated;
  };
}

function accepted(parsed: unknown, value: unknown, accept: Watcher['accept']): unknown {
  accept(parsed, value);
  return parsed;
}

/** Validates again for the error, which the SDK hides. */
export async function errorOf(parameters: unknown, text: string): Promise<unknown> {
  try {
    return await (isSchema(parameters) ? parameters['~standard']?.validate(JSON.parse(text)) : undefined);
  } catch (error) {
    return error;
  }
}
