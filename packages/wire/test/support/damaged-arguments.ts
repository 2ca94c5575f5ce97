/**
 * Owns texts of arguments as models and servers damage them, each with the value that was meant.
 * The value is the oracle: a text that is read must give it, or nothing at all.
 */
import { argumentsFrom, type Draw, type Json, type JsonRecord, schemaOf } from './argument-values.ts';

export interface Damaged {
  readonly kind: string;
  readonly text: string;
  /** What the model meant. */
  readonly meant: JsonRecord;
  readonly schema: Readonly<Record<string, unknown>>;
  /** The damage is in a value, and only a schema shows it. */
  readonly needsSchema: boolean;
}

type Write = (value: Json) => string;
type Damage = (meant: JsonRecord, draw: Draw) => string | undefined;

const compact: Write = (value) => JSON.stringify(value);
const pretty: Write = (value) => JSON.stringify(value, undefined, 2);

/** `repr` of Python. */
const python: Write = (value) => {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return pythonText(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(python).join(', ')}]`;
  return `{${Object.entries(value as JsonRecord)
    .map(([name, inner]) => `${pythonText(name)}: ${python(inner)}`)
    .join(', ')}}`;
};

const pythonEscapes: Readonly<Record<string, string>> = {
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
  '\\': String.raw`\\`,
};

function pythonText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text
    .split('')
    .map((char) => pythonEscapes[char] ?? (char === quote ? `\\${char}` : char))
    .join('');
  return quote + inner + quote;
}

/** An object literal of JavaScript: bare names, single quotes. */
const javascript: Write = (value) => {
  if (typeof value === 'string')
    return `'${JSON.stringify(value)
      .slice(1, -1)
      .replaceAll(String.raw`\"`, '"')
      .replaceAll("'", String.raw`\'`)}'`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(javascript).join(', ')}]`;
  return `{ ${Object.entries(value as JsonRecord)
    .map(([name, inner]) => `${name}: ${javascript(inner)}`)
    .join(', ')} }`;
};

const fenced: Write = (value) => `\`\`\`json\n${pretty(value)}\n\`\`\``;
const encoded: Write = (value) => JSON.stringify(JSON.stringify(value));

/** A real part of the text: at least its last character is missing. */
function cut(text: string, draw: Draw): string {
  // The end of a fence is no end of the value.
  const whole = text.startsWith('```') ? text.lastIndexOf('}') + 1 : text.length;
  return text.slice(0, 1 + draw.int(Math.max(1, whole - 1)));
}

const tokens = ['<|im_end|>', '<|endoftext|>', '</tool_call>', '<｜tool▁call▁end｜>', '[/TOOL_CALLS]', '</s>', '<|eot_id|>\n'];
const sentences = [
  '\n\nI will continue in the next message.',
  ' ... (truncated)',
  '\nSorry, I was cut off. The rest is "the same".',
  ' Done.',
  '\n```\nHere are the arguments.',
  ' and then {"path":"/"} is next.',
  "\n\nLet me know if that's right!",
  '… [archived] …',
];

const notations: readonly Write[] = [compact, pretty, python, javascript];

export const cuts: Readonly<Record<string, Damage>> = {
  json: (meant, draw) => cut(compact(meant), draw),
  pretty: (meant, draw) => cut(pretty(meant), draw),
  python: (meant, draw) => cut(python(meant), draw),
  javascript: (meant, draw) => cut(javascript(meant), draw),
  fenced: (meant, draw) => cut(fenced(meant), draw) + draw.pick(['', '\n```', '```']),
  'encoded twice': (meant, draw) => cut(encoded(meant), draw),
  'closed outside': (meant, draw) => JSON.stringify(cut(draw.pick(notations)(meant), draw)),
  'special token': (meant, draw) => cut(draw.pick(notations)(meant), draw) + draw.pick(tokens),
  prose: (meant, draw) => cut(draw.pick(notations)(meant), draw) + draw.pick(sentences),
  restarted: (meant, draw) => {
    const write = draw.pick(notations);
    const whole = write(meant);
    return cut(whole, draw) + draw.pick(['', '\n', ' ', '\n\n']) + draw.pick([whole, write(meant), compact(meant)]);
  },
};

/** Replaces one occurrence of a pattern; `undefined` if there is none. */
function replaceOne(text: string, pattern: RegExp, by: string, draw: Draw): string | undefined {
  const found = [...text.matchAll(pattern)];
  if (found.length === 0) return undefined;
  const { index, 0: match } = draw.pick(found);
  return text.slice(0, index) + by + text.slice(index + match.length);
}

const expressions = [
  'user.email',
  '<recipient email>',
  '`/tmp/${name}`',
  'ok ? "/tmp/a" : "/tmp/b"',
  'getPath()',
  '"a" + "b"',
  'r"x"',
  'undefined',
  '...',
  'NaN',
  'null ?? 1',
  '0x1F',
  '{{path}}',
  '$path',
];
const around: readonly ((text: string) => string)[] = [
  (text) => `I will not call it with ${text}`,
  (text) => `Here it is: ${text}`,
  (text) => `For example ${text}, but not now.`,
  (text) => `Sure!\n\`\`\`json\n${text}\n\`\`\`\nDone.`,
  (text) => `<think>${text}</think>`,
  (text) => `${text} is what I would send.`,
  (text) => `// ${text}\n`,
  (text) => `run(${text})`,
];

/** Another value of the same type. */
function otherThan(value: Json | undefined): Json {
  if (typeof value === 'string') return value === '/' ? '/tmp' : '/';
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return null;
}

const member = ([name, value]: readonly [string, Json]): string => `${JSON.stringify(name)}: ${JSON.stringify(value)}`;

export const others: Readonly<Record<string, Damage>> = {
  'python dict': (meant) => python(meant),
  'javascript literal': (meant) => javascript(meant),
  'trailing comma': (meant) => pretty(meant).replace(/\n\}$/, ',\n}'),
  comments: (meant, draw) => replaceOne(pretty(meant), /\{\n|,\n/g, draw.pick(['{ // first\n', '{ /* "path": "/" */\n']), draw),
  'escaped apostrophes': (meant) => compact(meant).replaceAll("'", String.raw`\'`),
  'backslashes not escaped': (meant) => compact(meant).replaceAll(String.raw`\\`, '\\'),
  'quotes not escaped': (meant) => compact(meant).replaceAll(String.raw`\"`, '"'),
  'line breaks not escaped': (meant) =>
    compact(meant)
      .replaceAll(String.raw`\n`, '\n')
      .replaceAll(String.raw`\t`, '\t'),
  'a missing sign': (meant, draw) => replaceOne(draw.pick([compact, pretty])(meant), /["',:{}[\]]/g, '', draw),
  'a sign too many': (meant, draw) => {
    // In a dict, a sign within a string would not show.
    const text = draw.pick([compact, pretty])(meant);
    const at = draw.int(text.length + 1);
    return text.slice(0, at) + draw.pick(['"', "'", ',', ':', '{', '}', '[', ']', '\\', '}}', '\u0000']) + text.slice(at);
  },
  'typographic quotes': (meant) => compact(meant).replaceAll(/(?<!\\)"([^"\\]*)"/g, '“$1”'),
  'an expression': (meant, draw) => {
    const [[name, value] = ['', ''], ...rest] = Object.entries(meant);
    if (typeof value !== 'string') return undefined;
    return `{${[`${JSON.stringify(name)}: ${draw.pick(expressions)}`, ...rest.map(member)].join(', ')}}`;
  },
  'in prose': (meant, draw) => draw.pick(around)(draw.pick(notations)(meant)),
  'a name twice': (meant, draw) => {
    const entries = Object.entries(meant);
    const [name, value] = draw.pick(entries);
    const again: readonly [string, Json] = [name, otherThan(value)];
    const all = draw.chance(0.5) ? [again, ...entries] : [...entries, again];
    const text = `{${all.map(member).join(', ')}}`;
    return draw.chance(0.2) ? JSON.stringify(text) : text;
  },
  'several objects': (meant, draw) => {
    const text = compact(meant);
    const [name = 'a'] = Object.keys(meant);
    const other = compact({ ...meant, [name]: otherThan(meant[name]) });
    return draw.pick([text + other, `${text}\n${other}`, `[${text},${other}]`, `${text},${other}`, `${text}${text}`, `{}${text}`]);
  },
  'framed by tokens': (meant, draw) =>
    draw.pick(['<|python_tag|>', '<tool_call>', '', '\uFEFF']) + draw.pick([compact, fenced, encoded])(meant) + draw.pick(tokens),
  'a call in its tags': (meant, draw) =>
    `<tool_call>${compact({ name: draw.pick(['search', 'search', 'delete_file']), [draw.pick(['arguments', 'parameters'])]: meant })}${draw.pick(['', ...tokens])}`,
  'escaped without quotes': (meant) => JSON.stringify(compact(meant)).slice(1, -1),
  'only quotes escaped': (meant) => compact(meant).replaceAll('"', String.raw`\"`),
};

/** Damage within names and values: only a schema shows it. */
export const inValues: Readonly<Record<string, Damage>> = {
  'quoted names': (meant, draw) =>
    compact(
      Object.fromEntries(
        Object.entries(meant).map(([name, value]) => [
          `"${name}"`,
          typeof value === 'string' && draw.chance(0.8) ? JSON.stringify(value) : value,
        ]),
      ),
    ),
  'values as text': (meant, draw) =>
    inEach(meant, (value) => (typeof value === 'string' || value === null ? value : draw.pick([compact, pretty, python])(value))),
  'values as text, cut off': (meant, draw) =>
    inEach(meant, (value) => (typeof value === 'object' && value !== null ? cut(draw.pick([compact, python])(value), draw) : value)),
  // The word `null` alone means that there is no list.
  'list as words': (meant, draw) =>
    inEach(meant, (value) => (isTexts(value) && value.join() !== 'null' ? value.join(draw.pick([',', ', ', '; ', '\n', ' '])) : value)),
};

const isTexts = (value: Json): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' && !item.startsWith('['));

function inEach(meant: JsonRecord, change: (value: Json) => Json): string | undefined {
  const changed = Object.fromEntries(Object.entries(meant).map(([name, value]) => [name, change(value)]));
  return compact(changed) === compact(meant) ? undefined : compact(changed);
}

/** One damaged text of a kind. Draws again until the damage makes a difference that shows in the text. */
export function damagedFrom(kind: string, damage: Damage, draw: Draw, needsSchema = false): Damaged {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const meant = argumentsFrom(draw);
    const text = damage(meant, draw);
    if (text !== undefined && (needsSchema || !isJsonOfItsOwn(text, meant)))
      return { kind, text, meant, schema: schemaOf(meant, draw), needsSchema };
  }
  throw new Error(`No damage of the kind '${kind}' after 200 attempts`);
}

/** Whether a text is valid JSON with one meaning, which differs from what was meant: nothing shows its damage. */
function isJsonOfItsOwn(text: string, meant: JsonRecord): boolean {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    return JSON.stringify(value) !== JSON.stringify(meant) && !hasNameTwice(text);
  } catch {
    return false;
  }
}

/** Written in a way of its own: the reviver of `JSON.parse` sees each name of the result once, the text has more of them. */
function hasNameTwice(text: string): boolean {
  let members = 0;
  JSON.parse(text, function count(this: unknown, name: string, value: unknown) {
    if (name !== '' && !Array.isArray(this)) members += 1;
    return value;
  });
  const bare = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  return (bare.match(/:/g) ?? []).length > members;
}
