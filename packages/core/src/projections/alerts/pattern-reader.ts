/** Owns parsing a matcher's regular expression into a tree: the subset of RE2 syntax that is useful for names. */

export type Node =
  | { readonly kind: 'one'; readonly of: (character: string) => boolean }
  | { readonly kind: 'chain'; readonly of: readonly Node[] }
  | { readonly kind: 'either'; readonly of: readonly Node[] }
  | { readonly kind: 'repeat'; readonly of: Node; readonly min: number; readonly max?: number };

type Test = (character: string) => boolean;

const MAX_DEPTH = 20;
const MAX_REPEAT = 1_000;

/** @throws RangeError that names the problem and its position */
export function readPattern(source: string): Node {
  // Patterns match the whole value, so anchors at the ends are redundant.
  const inner = source.replace(/^\^/, '').replace(/(?<!\\)\$$/, '');
  const reader = new PatternReader(inner);
  const node = reader.readAlternation(0);
  reader.expectEnd();
  return node;
}

class PatternReader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#characters = Array.from(source);
  }

  readAlternation(depth: number): Node {
    if (depth > MAX_DEPTH) throw this.#syntaxError('nests groups too deeply');
    const of = [this.#readSequence(depth)];
    while (this.#take('|')) of.push(this.#readSequence(depth));
    return of.length === 1 && of[0] ? of[0] : { kind: 'either', of };
  }

  expectEnd(): void {
    if (this.#peek() !== undefined) throw this.#syntaxError('closes a group that was not opened');
  }

  #readSequence(depth: number): Node {
    const of: Node[] = [];
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek())
      of.push(this.#readRepetition(depth));
    return { kind: 'chain', of };
  }

  #readRepetition(depth: number): Node {
    const of = this.#readAtom(depth);
    const times = this.#readQuantifier();
    if (!times) return of;
    // Greedy or lazy: the whole value matches either way.
    this.#take('?');
    if (this.#readQuantifier()) throw this.#syntaxError('repeats a repetition');
    return { kind: 'repeat', of, ...times };
  }

  #readQuantifier(): { readonly min: number; readonly max?: number } | undefined {
    if (this.#take('*')) return { min: 0 };
    if (this.#take('+')) return { min: 1 };
    if (this.#take('?')) return { min: 0, max: 1 };
    const braces = /^\{(\d{1,4})(?:(,)(\d{0,4}))?\}/.exec(this.#characters.slice(this.#at, this.#at + 12).join(''));
    if (!braces) return undefined;
    this.#at += braces[0].length;
    const min = Number(braces[1]);
    const max = braces[2] ? (braces[3] ? Number(braces[3]) : undefined) : min;
    if (min > MAX_REPEAT || (max !== undefined && (max > MAX_REPEAT || max < min)))
      throw this.#syntaxError('has a repetition count that is too large');
    return { min, ...(max === undefined ? {} : { max }) };
  }

  #readAtom(depth: number): Node {
    const character = this.#next();
    switch (character) {
      case '(':
        return this.#readGroup(depth);
      case '[':
        return { kind: 'one', of: this.#readCharacterClass() };
      case '.':
        return { kind: 'one', of: (each) => each !== '\n' };
      case '\\':
        return { kind: 'one', of: this.#readEscape() };
      case '*':
      case '+':
      case '?':
        throw this.#syntaxError(`has nothing before "${character}" to repeat`);
      case '^':
      case '$':
        throw this.#syntaxError(`has "${character}" inside: a pattern matches the whole value anyway`);
      default:
        return { kind: 'one', of: (each) => each === character };
    }
  }

  #readGroup(depth: number): Node {
    if (this.#take('?') && !this.#take(':'))
      throw this.#syntaxError('has a group of a kind that is not understood: only (…) and (?:…) are');
    const node = this.readAlternation(depth + 1);
    if (!this.#take(')')) throw this.#syntaxError('does not close a group');
    return node;
  }

  #readCharacterClass(): Test {
    const negated = this.#take('^');
    const tests: Test[] = [];
    for (let first = true; first || this.#peek() !== ']'; first = false) tests.push(this.#readClassMember());
    this.#at++;
    return (character) => tests.some((test) => test(character)) !== negated;
  }

  #readClassMember(): Test {
    const from = this.#next();
    if (from === '\\') return this.#readEscape();
    if (this.#peek() !== '-' || this.#characters[this.#at + 1] === ']') return (character) => character === from;
    this.#at++;
    const to = this.#next();
    if (to === '\\' || codeOf(to) < codeOf(from)) throw this.#syntaxError('has a range that goes backwards');
    return (character) => codeOf(from) <= codeOf(character) && codeOf(character) <= codeOf(to);
  }

  #readEscape(): Test {
    const character = this.#next();
    const known = escapes[character];
    if (known) return (each) => known.test(each);
    if (/[a-z0-9]/i.test(character)) throw this.#syntaxError(`has "\\${character}", which is not understood`);
    return (each) => each === character;
  }

  #peek(): string | undefined {
    return this.#characters[this.#at];
  }

  #next(): string {
    const character = this.#characters[this.#at++];
    if (character === undefined) throw this.#syntaxError('ends too early');
    return character;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }

  #syntaxError(what: string): RangeError {
    return new RangeError(`pattern ${what} (at character ${this.#at})`);
  }
}

const escapes: Readonly<Record<string, RegExp>> = {
  d: /^[0-9]$/,
  D: /^[^0-9]$/u,
  w: /^[0-9A-Za-z_]$/,
  W: /^[^0-9A-Za-z_]$/u,
  s: /^[\t\n\f\r ]$/,
  S: /^[^\t\n\f\r ]$/u,
  n: /^\n$/,
  t: /^\t$/,
};

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;
