/** Reads and writes search parameters. The state of a screen is in its URL, so that it can be shared. */

/** The parameters and their defaults; an invalid value in the URL falls back to the default. */
export type Shape = Readonly<Record<string, ParameterShape>>;
type ParameterShape = string | number | boolean | readonly [string, ...string[]];

/** A list gives the allowed values; the first is the default. */
export type StateOf<S extends Shape> = {
  readonly [K in keyof S]: S[K] extends readonly (infer W)[] ? W : S[K] extends number ? number : S[K] extends boolean ? boolean : string;
};

export function readState<const S extends Shape>(shape: S, search: string): StateOf<S> {
  const given = new URLSearchParams(search);
  const read = Object.entries(shape).map(([name, form]) => [name, readOne(form, given.get(name))]);
  return Object.fromEntries(read) as StateOf<S>;
}

function readOne(form: ParameterShape, given: string | null): string | number | boolean {
  if (typeof form === 'object') return given !== null && form.includes(given) ? given : form[0];
  if (given === null) return form;
  if (typeof form === 'boolean') return given === '1' || given === 'true';
  if (typeof form === 'number') return given.trim() !== '' && Number.isFinite(Number(given)) ? Number(given) : form;
  return given;
}

/** Returns the search string with the change. Omits defaults, and keeps unknown parameters. */
export function writeState<const S extends Shape>(shape: S, search: string, change: Partial<StateOf<S>>): string {
  const given = new URLSearchParams(search);
  for (const [name, value] of Object.entries(change) as [string, string | number | boolean | undefined][]) {
    const form = shape[name];
    const defaultValue = typeof form === 'object' ? form[0] : form;
    if (value === undefined || value === defaultValue) given.delete(name);
    else given.set(name, typeof value === 'boolean' ? (value ? '1' : '0') : String(value));
  }
  const text = given.toString();
  return text === '' ? '' : `?${text}`;
}
