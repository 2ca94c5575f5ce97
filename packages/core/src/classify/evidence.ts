/**
 * Owns gathering what an error carries, wherever its client put it. Does not own what any of it means.
 *
 * 1. Total: whatever the value is, gathering ends and does not throw.
 * 2. Bounded: at most `objectLimit` objects are looked at, causes to `depthLimit`, each object once.
 * 3. Requests are never looked at, only errors and answers: a request's headers are not the server's.
 */
import { fieldsOf } from './fields.ts';
import { bounded, firstOf, hasField, hasMethod, isList, isObject, numeric, parsedJson, read } from './reading.ts';
import { isStatus } from './http-statuses.ts';

const objectLimit = 48;
const depthLimit = 12;
const membersLimit = 8;

export interface Code {
  readonly field: string;
  readonly value: string | number;
}

/** An error and its own parts (response, body, metadata), without its causes. */
export interface Layer {
  /** 0 for the error itself, one more for each cause. */
  readonly depth: number;
  readonly names: string[];
  readonly codes: Code[];
  readonly statuses: number[];
  readonly texts: string[];
  /** Objects that hold response headers or metadata. */
  readonly carriers: object[];
  readonly hints: Code[];
  /** Errors side by side in this one: all of them happened. */
  readonly members: (readonly Layer[])[];
  /** The client's own opinion. */
  retryable?: boolean;
  /** The request never left. */
  unsent: boolean;
  /** Marks by which numbers can be told apart. */
  readonly marks: Set<'process' | 'grpc' | 'service_name' | 'issues'>;
}

interface Search {
  readonly seen: Set<object>;
  readonly layers: Layer[];
}

const newLayer = (depth: number): Layer => ({
  depth,
  names: [],
  codes: [],
  statuses: [],
  texts: [],
  carriers: [],
  hints: [],
  members: [],
  unsent: false,
  marks: new Set(),
});

/** Everything found, the error first, then its causes. */
export function gather(value: unknown): readonly Layer[] {
  return gatherInto(value, 0, new Set());
}

function gatherInto(value: unknown, depth: number, seen: Set<object>): Layer[] {
  const search: Search = { seen, layers: [] };
  visitCause(value, depth, search);
  return search.layers;
}

function visitCause(value: unknown, depth: number, search: Search): void {
  if (depth > depthLimit) return;
  const layer = newLayer(depth);
  search.layers.push(layer);
  if (typeof value === 'string') addWord(layer, 'message', value);
  else if (typeof value === 'number' && isStatus(value) && value >= 400) layer.statuses.push(value);
  else if (isObject(value)) visit(value, layer, search, true);
}

function visit(value: object, layer: Layer, search: Search, isError: boolean): void {
  if (search.seen.has(value) || search.seen.size >= objectLimit) return;
  search.seen.add(value);
  if (isList(value)) return visitList(value, layer, search);
  if (isError) addNames(value, layer);
  addScalars(value, layer);
  if (hasMethod(value, 'arrayBuffer')) return; // a fetch response: its body is a stream
  for (const field of fieldsOf.parts) visitPart(read(value, field), layer, search);
  for (const field of fieldsOf.lists) {
    const list = read(value, field);
    if (isObject(list) && isList(list)) visitList(list, layer, search);
  }
  for (const field of fieldsOf.causes) visitLink(read(value, field), layer, search);
  const cause = read(value, 'cause');
  if (typeof cause === 'string') visitCause(cause, layer.depth + 1, search);
}

/** A part of the same answer. Of text, JSON counts as what it says and prose as a message; pages are neither. */
function visitPart(part: unknown, layer: Layer, search: Search): void {
  if (typeof part === 'string') {
    const start = part.slice(0, 16).trimStart();
    if (start.startsWith('{') || start.startsWith('[')) {
      const parsed = parsedJson(part);
      if (isObject(parsed)) visit(parsed, layer, search, false);
    } else if (part.includes(' ') && !start.startsWith('<')) addText(part, layer);
    return;
  }
  if (!isObject(part)) return;
  if (looksLikeError(part)) return visitLink(part, layer, search);
  if (isList(part)) {
    for (const item of firstOf(part, membersLimit)) if (isObject(item)) visit(item, layer, search, false);
    return;
  }
  visit(part, layer, search, false);
}

function visitLink(link: unknown, layer: Layer, search: Search): void {
  if (isObject(link) && !search.seen.has(link)) visitCause(link, layer.depth + 1, search);
}

function visitList(list: readonly unknown[], layer: Layer, search: Search): void {
  search.seen.add(list);
  for (const item of firstOf(list, membersLimit)) {
    if (typeof item !== 'string' && !isObject(item)) continue;
    const member = gatherInto(item, layer.depth, search.seen);
    if (member.length > 0) layer.members.push(member);
  }
}

/** Asking whether there is a stack does not make the engine write one. */
function looksLikeError(value: object): boolean {
  return (typeof read(value, 'name') === 'string' && typeof read(value, 'message') === 'string') || hasField(value, 'stack');
}

function addNames(value: object, layer: Layer): void {
  const constructor = read(value, 'constructor');
  const names = [read(value, 'name'), typeof constructor === 'function' ? read(constructor, 'name') : undefined, read(value, '_tag')];
  for (const name of names)
    if (typeof name === 'string' && name.length > 0 && name.length <= 80 && !layer.names.includes(name)) layer.names.push(name);
}

/** A string without spaces is a code, one with spaces a message. */
function addWord(layer: Layer, field: string, word: string): void {
  if (word.length === 0) return;
  const isCode = field !== 'message' && word.length <= 100 && !/\s/.test(word);
  if (isCode) layer.codes.push({ field, value: word });
  else layer.texts.push(bounded(word));
}

function addScalars(value: object, layer: Layer): void {
  for (const field of fieldsOf.statuses) addStatus(numeric(read(value, field)), layer);
  for (const field of fieldsOf.words) addCode(field, read(value, field), layer);
  for (const field of fieldsOf.texts) {
    const text = read(value, field);
    if (typeof text === 'string' && text.length > 0) addText(text, layer);
  }
  for (const field of fieldsOf.carriers) {
    const carrier = read(value, field);
    if (isObject(carrier)) layer.carriers.push(carrier);
  }
  for (const field of fieldsOf.hints) addHint(field, read(value, field), layer);
  addOpinion(value, layer);
  addMarks(value, layer);
}

function addStatus(status: number | undefined, layer: Layer): void {
  if (status !== undefined && isStatus(status) && !layer.statuses.includes(status)) layer.statuses.push(status);
}

function addCode(field: string, code: unknown, layer: Layer): void {
  if (typeof code === 'number' && fieldsOf.numbers.includes(field)) layer.codes.push({ field, value: code });
  if (typeof code === 'string') {
    const number = field === 'code' || field === 'error_code' ? numeric(code) : undefined;
    if (number !== undefined && isStatus(number)) layer.codes.push({ field, value: number });
    else addWord(layer, field, code);
  }
}

function addText(text: string, layer: Layer): void {
  const short = bounded(text);
  if (!layer.texts.includes(short)) layer.texts.push(short);
}

function addHint(field: string, hint: unknown, layer: Layer): void {
  if (typeof hint === 'number' || typeof hint === 'string') layer.hints.push({ field, value: hint });
  else if (isObject(hint)) {
    const seconds = numeric(read(hint, 'seconds'));
    const nanos = numeric(read(hint, 'nanos')) ?? 0;
    if (seconds !== undefined) layer.hints.push({ field, value: `${String(seconds + nanos / 1e9)}s` });
  }
}

function addOpinion(value: object, layer: Layer): void {
  for (const field of fieldsOf.retryable) {
    const opinion = read(value, field);
    if (typeof opinion === 'boolean') layer.retryable ??= opinion;
    if (isObject(opinion)) {
      layer.retryable ??= true;
      if (read(opinion, 'throttling') === true) layer.codes.push({ field, value: 'Throttling' });
    }
  }
  const isPermanent = read(value, 'permanent');
  if (typeof isPermanent === 'boolean') layer.retryable ??= !isPermanent;
}

const connectPhases: ReadonlySet<unknown> = new Set([
  'connect',
  'getaddrinfo',
  'lookup',
  'secureConnect',
  'CONNECTION_TIMEOUT',
  'GREETING_TIMEOUT',
]);

function addMarks(value: object, layer: Layer): void {
  const { marks } = layer;
  if (read(value, 'spawnargs') !== undefined || read(value, 'cmd') !== undefined) marks.add('process');
  if (read(value, '$metadata') !== undefined || read(value, '$fault') !== undefined) marks.add('service_name');
  if (isList(read(value, 'issues')) || read(value, 'isJoi') === true || typeof read(value, 'schemaPath') === 'string') marks.add('issues');
  if (isObject(read(value, 'metadata')) || typeof read(value, 'details') === 'string') marks.add('grpc');
  const phase = [read(value, 'syscall'), read(value, 'event'), read(value, 'timeoutType')];
  if (phase.some((each) => connectPhases.has(each)) || read(value, 'beforeHandshake') === true) layer.unsent = true;
  if (read(value, 'killed') === true && marks.has('process')) layer.codes.push({ field: 'killed', value: 'ETIMEDOUT' });
}
