/** Owns the check of options. Does not own which options there are. */

/** What an option must be: a `typeof` result, a number of at least 0, or a secret key. */
type OptionKind = 'function' | 'object' | 'boolean' | 'amount' | 'key';

/** The options of a function, by name. */
export type OptionKinds<Options extends object> = Readonly<Record<keyof Options, OptionKind>>;

/** @throws TypeError | RangeError for an unknown option, or one of another kind, naming it, its value and the fix. */
export function checkOptions<Options extends object>(
  kinds: OptionKinds<Options>,
  options: Options,
  where: string,
  needed: readonly (keyof Options & string)[] = [],
): void {
  if (!isPlain(options)) throw new TypeError(`${where} must be an object, got ${show(options)}.`);
  for (const name of Object.keys(options))
    if (!Object.hasOwn(kinds, name)) throw new TypeError(`${where} has no setting '${name}'. Known: ${Object.keys(kinds).join(', ')}.`);
  for (const [name, kind] of Object.entries<OptionKind>(kinds)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value === undefined && !(needed as readonly string[]).includes(name)) continue;
    if (fits(value, kind)) continue;
    if (kind === 'key') throw new TypeError(`${where}.${name} must be a secret of at least 32 characters or bytes.`);
    const Problem = kind === 'amount' && typeof value === 'number' ? RangeError : TypeError;
    throw new Problem(`${where}.${name} must be ${kind === 'amount' ? 'a number, 0 or more' : `of type ${kind}`}, got ${show(value)}.`);
  }
}

function fits(value: unknown, kind: OptionKind): boolean {
  if (kind === 'amount') return typeof value === 'number' && value >= 0;
  if (kind === 'key') return (typeof value === 'string' || value instanceof Uint8Array) && value.length >= 32;
  return typeof value === kind && value !== null;
}

function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('then' in value);
}

function show(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
