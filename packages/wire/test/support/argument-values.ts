/** Owns random arguments of tools with a schema they match, drawn from a seed. */

/** A source of random numbers that repeats itself for the same seed. */
export interface Draw {
  /** An integer from 0 to `below` - 1. */
  readonly int: (below: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  readonly chance: (probability: number) => boolean;
}

export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    int,
    pick: <Item>(items: readonly Item[]): Item => items[int(items.length)] as Item,
    chance: (probability) => next() < probability,
  };
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type JsonRecord = { readonly [name: string]: Json };

const names = [
  'path',
  'paths',
  'query',
  'command',
  'to',
  'cc',
  'amount',
  'limit',
  'force',
  'filter',
  'content',
  'sql',
  'pattern',
  'ids',
  'a',
  'note',
  'due_date',
  'in',
];

const texts = [
  'tea',
  '',
  '/tmp/a',
  '/',
  '/tmp/build/../x',
  String.raw`C:\Users\new`,
  String.raw`C:\temp\bob\file.txt`,
  String.raw`\\server\share`,
  String.raw`\d+\.\w{2,}`,
  String.raw`^\s*"[^"]+"\b`,
  "DELETE FROM t WHERE n = 'bob'",
  'SELECT "id", "name" FROM t',
  "it's done, isn't it?",
  'echo "a", "b": c',
  'say "hi" now',
  'x", "path": "/',
  "x', 'path': '/",
  '{"path":"/"}',
  '{"path": "/tmp/a", "n": [1, 2',
  '[1, 2, 3]',
  '["/tmp/a", "/tmp/b"]',
  "['a', 'b']",
  '{}',
  'a, b; c',
  'one\ntwo\nthree',
  '\ttab\r\n',
  'if (x == "y") { z(); } // done',
  '/* not a comment */',
  '// nothing',
  'http://x.y/z?a=1&b={c}#d',
  'ann@example.com',
  'null',
  'true',
  '5',
  '007',
  '1e3',
  '12345678901234567890',
  'None',
  '```json\n{"a":1}\n```',
  '<|im_end|>',
  '</tool_call>',
  'Grüße, 東京 🍵 “quoted” ‘so’',
  'I will not call it with {"path":"/"}',
  '${name}',
  '`date`',
  '...',
  'a:b',
  'ends with a backslash \\',
  '}',
  ']}',
  '"',
  "'",
  '\\"',
  ':',
  ',',
];

const words = [
  'alpha',
  'beta',
  'gamma',
  'delta',
  'the',
  'report',
  'file',
  'and',
  'of',
  'user',
  '42',
  "don't",
  '(see',
  'below)',
  'x=1',
  'a/b',
];

function textFrom(draw: Draw): string {
  const length = draw.int(4);
  if (length === 0) return Array.from({ length: 1 + draw.int(12) }, () => draw.pick(words)).join(draw.pick([' ', ', ', '\n', '-']));
  return length === 1 ? draw.pick(texts) + draw.pick(['', ' ', ', ', '\n']) + draw.pick(texts) : draw.pick(texts);
}

function numberFrom(draw: Draw): number {
  const size = 10 ** draw.int(15);
  const whole = (draw.int(20) - 10) * size + draw.int(10);
  return draw.chance(0.3) ? Number((whole / 8).toPrecision(12)) : whole;
}

function valueFrom(draw: Draw, depth: number): Json {
  const kind = draw.int(depth > 2 ? 5 : 8);
  if (kind < 3) return textFrom(draw);
  if (kind === 3) return numberFrom(draw);
  if (kind === 4) return draw.pick([true, false, null]);
  if (kind === 5) return recordFrom(draw, depth + 1);
  return listFrom(draw, depth);
}

/** The items have one type, as in most tools. */
function listFrom(draw: Draw, depth: number): readonly Json[] {
  const make = draw.pick<() => Json>([() => textFrom(draw), () => numberFrom(draw), () => recordFrom(draw, depth + 1)]);
  return Array.from({ length: draw.int(4) }, make);
}

function recordFrom(draw: Draw, depth: number): JsonRecord {
  const own = Array.from({ length: (depth === 0 ? 1 : 0) + draw.int(4) }, () => draw.pick(names));
  return Object.fromEntries([...new Set(own)].map((name) => [name, valueFrom(draw, depth)]));
}

export const argumentsFrom = (draw: Draw): JsonRecord => recordFrom(draw, 0);

/** A schema that the value matches: its types, the names of an object required or not. */
export function schemaOf(value: Json, draw: Draw): Readonly<Record<string, unknown>> {
  if (value === null) return { type: ['null', draw.pick(['integer', 'string'])] };
  if (Array.isArray(value)) {
    const [first] = value as readonly Json[];
    const isPlain = typeof first === 'string' || typeof first === 'number';
    return { type: 'array', ...(isPlain ? { items: { type: typeof first } } : {}) };
  }
  if (typeof value !== 'object') return { type: typeof value };
  const properties = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, schemaOf(inner, draw)]));
  const required = draw.chance(0.5) ? Object.keys(value) : [];
  return { type: 'object', properties, required, ...(draw.chance(0.3) ? { additionalProperties: false } : {}) };
}
