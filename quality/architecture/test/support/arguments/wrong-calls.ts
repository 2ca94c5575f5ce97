/** Owns which wrong arguments are tried, and what became of a call with them. */
import { made, type Owner, type Subject, type WrongKind } from './subject.ts';

/** The functions of a module or of an object, also those of its class. */
export function functionsOf(owner: object): readonly string[] {
  const names = new Set<string>();
  for (let at = owner; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at) as object) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === 'function' && name !== 'constructor') names.add(name);
  }
  return [...names];
}

interface WrongCall {
  readonly shown: string;
  readonly args: readonly unknown[];
  /** The function lists it as valid: it must only cause no accident. */
  readonly isValid: boolean;
}

const wrongValues = (): readonly (readonly [WrongKind, unknown])[] => [
  ['undefined', undefined],
  ['null', null],
  ['number', 7],
  ['string', 'x'],
  ['object', {}],
  ['array', []],
  ['promise', Promise.resolve({})],
  ['function', () => undefined],
];

/** Calls with one wrong argument each, without any, and with the first two swapped. */
export function wrongCallsOf({ args, accepts = {} }: Subject): readonly WrongCall[] {
  const valid = args();
  if (valid.length === 0) return [];
  const listed = (position: number, kind: WrongKind): boolean => accepts[position]?.slice(1).includes(kind) ?? false;
  const calls: WrongCall[] = [{ shown: '', args: [], isValid: listed(0, 'nothing') || isOptional(valid[0]) }];
  for (const [position, given] of valid.entries()) {
    for (const [kind, value] of [...wrongValues(), ...misspelt(given)]) {
      if ((kindOf(given) === kind && kind !== 'object') || (kind === 'misspelt' && accepts[position] === made)) continue;
      const isValid = listed(position, kind) || (isOptional(given) && (kind === 'undefined' || kind === 'object'));
      calls.push({ shown: `${position}: ${kind}`, args: valid.with(position, value), isValid });
    }
  }
  return calls;
}

/** Valid arguments have `{}` where options may be left out. */
const isOptional = (value: unknown): boolean => kindOf(value) === 'object' && Object.keys(value as object).length === 0;

function misspelt(given: unknown): readonly (readonly [WrongKind, unknown])[] {
  if (kindOf(given) !== 'object' || Object.getPrototypeOf(given) !== Object.prototype) return [];
  return Object.keys(given as object).map((name) => {
    const { [name]: value, ...others } = given as Record<string, unknown>;
    return ['misspelt', { ...others, [`${name}z`]: value }] as const;
  });
}

function kindOf(value: unknown): WrongKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Promise) return 'promise';
  return typeof value as WrongKind;
}

/** What the engine says by itself, without a word about the argument. */
const byAccident =
  /Cannot (?:read|destructure|convert|use|set|create)|undefined \(reading|is not (?:a function|iterable|a constructor|defined)|^(?:Invalid |Spread|Right-hand|Class )| called on /u;

/** How a refusal says what is wrong or what to do. */
const inWords =
  / must |Did you mean|Allowed: |; pass |Known|Give |Use |Pass |Write | rename | has no | have no | no such | not an? |does not | no content|names '/u;

/** `accepted`, `refused: …` in words about the argument, or `ACCIDENT …`. */
export async function outcomeOf(owner: Owner, name: string, args: readonly unknown[]): Promise<string> {
  try {
    const object = owner.get() as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
    const call = object[name] as (...args: readonly unknown[]) => unknown;
    const isClass = call.toString().startsWith('class');
    const given: unknown = isClass
      ? new (call as unknown as new (...all: readonly unknown[]) => unknown)(...args)
      : call.apply(object, [...args]);
    const problem = problemIn(await given);
    return problem === undefined ? 'accepted' : refusal(problem);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return refusal(error.message);
    return `ACCIDENT ${String(error)}`;
  }
}

function refusal(message: string): string {
  return byAccident.test(message) || !inWords.test(message) ? `ACCIDENT ${message}` : `refused: ${message}`;
}

interface Answer {
  readonly status?: unknown;
  readonly result?: Answer;
  readonly problems?: readonly unknown[];
  readonly problem?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: string };
}

/** What a result that never throws says about its arguments. */
function problemIn(given: unknown): string | undefined {
  const answer = (Array.isArray(given) ? (given as readonly unknown[])[0] : given) as Answer | undefined;
  if (typeof answer !== 'object' || answer === null) return undefined;
  const [problem] = Array.isArray(answer.problems) ? answer.problems : [];
  if (problem !== undefined) return typeof problem === 'string' ? problem : String((problem as { readonly message?: unknown }).message);
  if (typeof answer.problem === 'string') return answer.problem;
  const { error } = answer.result ?? answer;
  return error?.code === 'INVALID_CALL' || error?.code === 'INVALID_PLAN' ? error.message : undefined;
}
