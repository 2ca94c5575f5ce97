/** Builds errors as clients build them. */
export function errorWith(fields: Readonly<Record<string, unknown>>, message = '', name?: string): Error {
  const error = Object.assign(new Error(message), fields);
  if (name !== undefined) error.name = name;
  return error;
}

export function wrapped(message: string, cause: unknown): Error {
  return new Error(message, { cause });
}
