/**
 * Owns parsing the notations in which models write arguments: JSON, the object literals of JavaScript and Python, and JSON with line breaks in strings.
 * It is a grammar, not a repair: a text that it does not describe is invalid, and nothing is added to it, left out or guessed.
 *
 * Invariants
 * 1. A text that the grammar describes has one value only. Where notations disagree about a meaning, such as that of an escape, the text is invalid.
 * 2. Whatever differs from JSON is reported.
 * 3. A text that ends inside a value is `cut-off`, never a value.
 * 4. Takes time linear in the length of the text.
 */
import { isExact } from './exact-number.ts';

/** How a text differs from JSON. Only `raw-line-breaks`, of line breaks and tabs in strings, leaves the strings of the text as they are. */
type Tolerance = 'raw-line-breaks' | 'json-syntax';

export interface TolerantValue {
  readonly value: unknown;
  /** The text contains a number that would have been rounded; in the value it is a string of digits. */
  readonly bigIntegers: boolean;
}

export type Tolerant =
  | { readonly kind: 'values'; readonly values: readonly TolerantValue[]; readonly tolerances: readonly Tolerance[] }
  | { readonly kind: 'cut-off' }
  | { readonly kind: 'repeated-name'; readonly name: string }
  | { readonly kind: 'invalid' };

type Fault = Exclude<Tolerant, { readonly kind: 'values' }>;

/** Parses the values of a text, one after the other. */
export function parseTolerant(text: string): Tolerant {
  const parser = new Parser(text);
  const values: TolerantValue[] = [];
  while (!parser.isDone) {
    const value = parser.readTopLevel();
    if (value === undefined) return parser.fault;
    if (values.push(value) > maxValues) return { kind: 'invalid' };
  }
  return { kind: 'values', values, tolerances: [...parser.tolerances] };
}

const maxValues = 1000;
const maxDepth = 200;

const escapes: Readonly<Record<string, string>> = { '\\': '\\', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const blanks = /[ \t\r\n]*/y;
const isBlank = /[ \t\r\n]/;
const names = /[A-Za-z_$][\w$]*/y;
const numbers = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const codes = /[0-9a-fA-F]{4}/y;

const literals: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const pythonLiterals: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['True', true],
  ['False', false],
  ['None', null],
]);

/** Methods return `undefined` for a fault, which no value is. */
class Parser {
  readonly tolerances: Set<Tolerance> = new Set();
  fault: Fault = { kind: 'invalid' };
  readonly #text: string;
  #index = 0;
  #bigIntegers = false;

  constructor(text: string) {
    this.#text = text;
    this.#match(blanks);
  }

  get isDone(): boolean {
    return this.#index >= this.#text.length;
  }

  readTopLevel(): TolerantValue | undefined {
    this.#bigIntegers = false;
    const value = this.#value(0);
    this.#match(blanks);
    return value === undefined ? undefined : { value, bigIntegers: this.#bigIntegers };
  }

  #value(depth: number): unknown {
    const char = this.#text[this.#index];
    if (depth > maxDepth) return this.#fail();
    if (char === '{') return this.#object(depth);
    if (char === '[') return this.#list(depth);
    if (char === '"' || char === "'") return this.#string(char);
    return this.#number() ?? this.#literal(depth);
  }

  #object(depth: number): unknown {
    const members = new Map<string, unknown>();
    const closed = this.#items('}', () => {
      const name = this.#name();
      if (name === undefined || !this.#skipBlanks()) return false;
      if (members.has(name)) {
        this.fault = { kind: 'repeated-name', name };
        return false;
      }
      if (!this.#take(':') || !this.#skipBlanks()) return false;
      const value = this.#value(depth + 1);
      members.set(name, value);
      return value !== undefined;
    });
    return closed ? Object.fromEntries(members) : undefined;
  }

  #list(depth: number): unknown {
    const items: unknown[] = [];
    const closed = this.#items(']', () => {
      const value = this.#value(depth + 1);
      items.push(value);
      return value !== undefined;
    });
    return closed ? items : undefined;
  }

  /** Reads items between an opening bracket and its closer; `false` for a fault. */
  #items(closer: string, readItem: () => boolean): boolean {
    this.#index += 1;
    for (let first = true; ; first = false) {
      if (!this.#skipBlanks()) return false;
      if (this.#text[this.#index] === closer) {
        if (!first) this.tolerances.add('json-syntax');
        break;
      }
      if (!readItem() || !this.#skipBlanks()) return false;
      if (this.#text[this.#index] === closer) break;
      if (!this.#take(',')) return false;
    }
    this.#index += 1;
    return true;
  }

  #name(): string | undefined {
    const char = this.#text[this.#index];
    if (char === '"' || char === "'") return this.#string(char);
    const name = this.#match(names);
    if (name === '') return this.#fail();
    // In Python, a key of its own kind.
    if (literals.has(name) || pythonLiterals.has(name)) return this.#fail('invalid');
    this.tolerances.add('json-syntax');
    return name;
  }

  #string(quote: string): string | undefined {
    if (quote === "'") this.tolerances.add('json-syntax');
    const pieces: string[] = [];
    this.#index += 1;
    let from = this.#index;
    for (let char = this.#text[this.#index]; char !== quote; char = this.#text[this.#index]) {
      if (char === undefined) return this.#fail();
      if (char === '\\') {
        pieces.push(this.#text.slice(from, this.#index));
        const escaped = this.#escape(quote);
        if (escaped === undefined) return undefined;
        pieces.push(escaped);
        from = this.#index;
        continue;
      }
      if (char < ' ') {
        if (!isBlank.test(char)) return this.#fail('invalid');
        this.tolerances.add('raw-line-breaks');
      }
      this.#index += 1;
    }
    pieces.push(this.#text.slice(from, this.#index));
    this.#index += 1;
    return pieces.join('');
  }

  /** Reads a backslash and what belongs to it. */
  #escape(quote: string): string | undefined {
    this.#index += 1;
    const char = this.#text[this.#index];
    if (char === undefined) return this.#fail();
    // No escape in JSON; in the other notations an apostrophe.
    if (char === "'") this.tolerances.add('json-syntax');
    this.#index += 1;
    if (char === "'" || char === '"' || (char === '/' && quote === '"')) return char;
    // `C:\new` in single quotes may be a path that was not escaped.
    if (quote === "'" && char !== '\\' && this.#text[this.#index - 3] === ':') return this.#fail('invalid');
    // Other backslashes are kept by Python, dropped by JavaScript and meant literally in patterns and paths.
    if (char !== 'u') return escapes[char] ?? this.#fail('invalid');
    const code = this.#match(codes);
    return code === '' ? this.#fail() : String.fromCharCode(Number.parseInt(code, 16));
  }

  #number(): number | string | undefined {
    const text = this.#match(numbers);
    if (text === '') return undefined;
    if (isExact(text)) return Number(text);
    this.#bigIntegers = true;
    return text;
  }

  #literal(depth: number): unknown {
    const word = this.#match(names);
    const value = literals.get(word);
    if (value !== undefined) return value;
    const python = pythonLiterals.get(word);
    if (python === undefined) return depth === 0 ? this.#fail('invalid') : this.#fail();
    this.tolerances.add('json-syntax');
    return python;
  }

  /** Skips blanks and comments within a value; `false` at the end of the text. */
  #skipBlanks(): boolean {
    for (;;) {
      this.#match(blanks);
      const opening = this.#text.slice(this.#index, this.#index + 2);
      if (opening !== '//' && opening !== '/*') break;
      const end = this.#text.indexOf(opening === '//' ? '\n' : '*/', this.#index + 2);
      this.#index = end === -1 ? this.#text.length : end + (opening === '//' ? 1 : 2);
      this.tolerances.add('json-syntax');
    }
    if (!this.isDone) return true;
    this.fault = { kind: 'cut-off' };
    return false;
  }

  #take(char: string): boolean {
    if (this.#text[this.#index] !== char) return this.#fail('invalid') ?? false;
    this.#index += 1;
    return true;
  }

  /** Consumes what a pattern matches here; an empty string if it does not match. */
  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#index;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#index += found.length;
    return found;
  }

  #fail(kind: 'cut-off' | 'invalid' = this.isDone ? 'cut-off' : 'invalid'): undefined {
    this.fault = { kind };
    return undefined;
  }
}
