/**
 * Owns writing a pattern of JavaScript (flag `u`) in the syntax of RE2, with the same meaning. Both agree on most of the syntax; they differ in white space,
 * line ends, escapes and classes.
 *
 * Invariants
 * 1. A pattern whose meaning could differ is refused: look-around, references, modifiers.
 * 2. Groups capture nothing: only whether a string matches is asked.
 */

/** A pattern in the syntax of RE2, and about how many instructions it takes. */
export interface Re2Pattern {
  readonly source: string;
  readonly size: number;
}

/** Returns `undefined` for a pattern that RE2 cannot run. */
export function toRe2(pattern: string): Re2Pattern | undefined {
  const writer = new Writer();
  for (let at = 0; at < pattern.length;) {
    const next = step(pattern, at, writer);
    if (next === undefined || writer.size > maxSize) return undefined;
    at = next;
  }
  return { source: writer.source, size: writer.size };
}

/** Compiling takes about 10 µs for each instruction. */
const maxSize = 1_000;

const spaces = '\\t-\\r \\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}';
const notSpaces =
  '\\x{0}-\\x{8}\\x{E}-\\x{1F}!-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}\\x{202A}-\\x{202E}\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{FEFE}\\x{FF00}-\\x{10FFFF}';
const any = '[\\x{0}-\\x{10FFFF}]';

/** Collects the parts, and counts how often repetitions multiply them. */
class Writer {
  source = '';
  /** Sizes of the open groups, and of the last part of each. */
  readonly #groups: { size: number; last: number }[] = [{ size: 0, last: 0 }];

  get size(): number {
    return this.#groups.reduce((sum, { size, last }) => sum + size + last, 0);
  }

  atom(text: string): void {
    this.source += text;
    this.#add(1);
  }

  open(): void {
    this.source += '(?:';
    this.#groups.push({ size: 1, last: 0 });
  }

  /** Whether a group was open. */
  close(): boolean {
    if (this.#groups.length < 2) return false;
    this.source += ')';
    const { size = 0, last = 0 } = this.#groups.pop() ?? {};
    this.#add(size + last);
    return true;
  }

  repeat(text: string, times: number): void {
    this.source += text;
    const group = this.#groups.at(-1);
    if (group) group.last = group.last * times + 1;
  }

  #add(size: number): void {
    const group = this.#groups.at(-1);
    if (!group) return;
    group.size += group.last;
    group.last = size;
  }
}

const repetition = /[*+?]\??|\{(\d+)(,?)(\d*)\}\??/y;
const group = /\((?:\?:|\?<[^=!>][^>]*>|(?!\?))/uy;

/** Writes the part at a place. Returns where the next one starts; `undefined` if RE2 has no such part. */
function step(pattern: string, at: number, writer: Writer): number | undefined {
  const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
  if (char === '\\') return escape(pattern, at, writer, false);
  if (char === '[') return characterClass(pattern, at, writer);
  if (char === '(') {
    const opening = find(group, pattern, at);
    if (!opening) return undefined;
    writer.open();
    return at + opening[0].length;
  }
  if (char === ')') return writer.close() ? at + 1 : undefined;
  const repeated = find(repetition, pattern, at);
  if (repeated) {
    const [text, least, comma, most] = repeated;
    const times = least === undefined ? 1 : comma === '' || most === '' ? Number(least) + 1 : Number(most);
    writer.repeat(text, times);
    return at + text.length;
  }
  writer.atom(char === '.' ? '[^\\n\\r\\x{2028}\\x{2029}]' : char);
  return at + char.length;
}

function find(form: RegExp, text: string, at: number): RegExpExecArray | null {
  form.lastIndex = at;
  return form.exec(text);
}

const code =
  /\\(?:u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]+)\}|x([\da-fA-F]{2})|c([a-zA-Z])|(0))/y;
/** Their names are the same in both. */
const property = /\\[pP]\{(?:(?:gc|General_Category)=)?([A-Z][a-z]?)\}/y;

/** Writes an escape, within a class or outside of one. */
function escape(pattern: string, at: number, writer: Writer, inClass: boolean): number | undefined {
  const put = (text: string): void => {
    if (inClass) writer.source += text;
    else writer.atom(text);
  };
  const point = find(code, pattern, at);
  if (point) {
    put(codePoint(point));
    return at + point[0].length;
  }
  const category = find(property, pattern, at);
  if (category) {
    put(`\\${pattern[at + 1] ?? ''}{${category[1] ?? ''}}`);
    return at + category[0].length;
  }
  const char = pattern[at + 1] ?? '';
  if (char === 's') put(inClass ? spaces : `[${spaces}]`);
  else if (char === 'S') put(inClass ? notSpaces : `[${notSpaces}]`);
  else if (char === 'b' && inClass) put('\\x{8}');
  // Node finds a `\B` inside of a pair of surrogates, which RE2 does not see: such a pattern is not translated.
  else if ('dDwWfnrtv'.includes(char) || (!inClass && char === 'b')) put(`\\${char}`);
  else if (/[\^$\\.*+?()[\]{}|/-]/.test(char)) put(char === '/' ? '/' : `\\${char}`);
  else return undefined;
  return at + 2;
}

function codePoint([, high, low, unit, point, byte, control, zero]: RegExpExecArray): string {
  if (high !== undefined && low !== undefined)
    return hex((Number.parseInt(high, 16) - 0xd800) * 0x400 + Number.parseInt(low, 16) - 0xdc00 + 0x10000);
  if (control !== undefined) return hex(control.codePointAt(0) === undefined ? 0 : (control.codePointAt(0) ?? 0) % 32);
  return zero === undefined ? `\\x{${unit ?? point ?? byte ?? '0'}}` : '\\x{0}';
}

const hex = (value: number): string => `\\x{${value.toString(16)}}`;

function characterClass(pattern: string, start: number, writer: Writer): number | undefined {
  const isNegated = pattern[start + 1] === '^';
  let at = start + (isNegated ? 2 : 1);
  if (pattern[at] === ']') {
    // JavaScript: nothing at all, or anything.
    writer.atom(isNegated ? any : `[^${any.slice(1)}`);
    return at + 1;
  }
  writer.atom(isNegated ? '[^' : '[');
  while (at < pattern.length && pattern[at] !== ']') {
    const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    const next = char === '\\' ? escape(pattern, at, writer, true) : at + char.length;
    if (next === undefined) return undefined;
    if (char !== '\\') writer.source += '[^&~'.includes(char) ? `\\${char}` : char;
    at = next;
  }
  writer.source += ']';
  return at + 1;
}
