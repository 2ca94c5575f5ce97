/**
 * Owns gathering what an error carries, wherever its client put it. Does not own what it means.
 *
 * 1. Total: for any value, gathering ends and does not throw.
 * 2. Bounded: reads at most `objectLimit` objects, causes to `depthLimit`, each object once.
 * 3. Reads errors and responses, never requests: a request's headers are not the server's.
 */
import { heldBy, holds, inheritedFields } from './fields.ts';
import { isStatus } from './http-statuses.ts';
import { addNames, addStatus, addText, addWord } from './layer.ts';
import type { Layer } from './layer.ts';
import { addDuration, addMark, addOpinion, readProcess, readWords } from './marks.ts';
import { firstOf, hasStack, isList, keysLimit, keysOf, numeric, parsedJson, read } from './reading.ts';
import { isObject } from '../plain/is-object.ts';

const objectLimit = 48;
const depthLimit = 12;
const membersLimit = 8;
const xmlLimit = 2048;

interface Search {
  readonly seen: Set<object>;
  readonly layers: Layer[];
}

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
  const layer: Layer = {
    depth,
    names: [],
    codes: [],
    statuses: [],
    texts: [],
    carriers: [],
    waits: [],
    members: [],
    isOwn: true,
    commands: [],
  };
  search.layers.push(layer);
  if (typeof value === 'string') addText(value, layer);
  else if (typeof value === 'number' && value >= 400) addStatus(value, layer);
  else if (isObject(value)) visit(value, layer, search, true);
}

function visit(value: object, layer: Layer, search: Search, isError: boolean): void {
  if (search.seen.has(value) || search.seen.size >= objectLimit) return;
  search.seen.add(value);
  if (isList(value)) return visitList(value, layer, search);
  const wasOwn = layer.isOwn;
  layer.isOwn = isError;
  if (isError) addNames(value, layer);
  const message = read(value, 'message');
  if (typeof message === 'string') addMessage(message, layer, search);
  else if (isObject(message)) take('message', message, layer, search);
  const later: PropertyKey[] = [];
  takeFields(value, keysOf(value), layer, search, later);
  takeFields(value, inheritedFields(value), layer, search, later);
  if (isError) readProcess(value, layer);
  if (isError) visitAttempts(value, layer, search);
  for (const key of later) take(key as string, read(value, key), layer, search);
  if (isError && layer.isProcess) readWords(layer);
  layer.isOwn = wasOwn;
}

/** `errors` whose last one is also `lastError`: attempts in a row, not errors side by side. */
function visitAttempts(value: object, layer: Layer, search: Search): void {
  const last = read(value, 'lastError');
  const errors = read(value, 'errors');
  if (!isObject(last) || !isObject(errors) || !isList(errors) || firstOf(errors, membersLimit * 4).at(-1) !== last) return;
  layer.isRow = true;
  visitList(firstOf(errors, membersLimit * 4).slice(-membersLimit), layer, search);
  search.seen.add(errors);
}

/** Reads the unambiguous fields; nested objects and plain text come later. */
function takeFields(value: object, keys: readonly PropertyKey[], layer: Layer, search: Search, later: PropertyKey[]): void {
  const count = Math.min(keys.length, keysLimit);
  for (let index = 0; index < count; index += 1) {
    const key = keys[index] as string;
    const held = key === 'message' ? 0 : heldBy(key);
    if (held === 0) continue;
    const field = read(value, key);
    if (field === undefined || field === null) continue;
    if (held & holds.mark) addMark(key, field, layer);
    if (held === holds.mark) continue;
    if (typeof field === 'object' || held & (holds.part | holds.word)) later.push(key);
    else take(key, field, layer, search);
  }
}

function take(key: string, field: unknown, layer: Layer, search: Search): void {
  const held = heldBy(key);
  if (typeof field === 'string') takeText(key, field, held, layer, search);
  else if (typeof field === 'number') takeNumber(key, field, held, layer);
  else if (typeof field === 'boolean' && held & holds.opinion) layer.retryable ??= field !== /^(?:perm|non)/i.test(key);
  else if (isObject(field)) takeObject(key, field, held, layer, search);
}

function takeNumber(field: string, value: number, held: number, layer: Layer): void {
  if (held & holds.status) addStatus(value, layer);
  if (held & holds.number) layer.codes.push({ field, value });
  if (held & holds.wait) layer.waits.push({ field, value });
}

function takeText(field: string, value: string, held: number, layer: Layer, search: Search): void {
  // as emailjs keeps the reply of a server: `550 No such user here`
  const number = numeric(field === 'smtp' ? value.slice(0, 3) : value);
  if (number !== undefined && isStatus(number)) takeNumber(field, number, held & (holds.status | holds.number), layer);
  else if (held & (holds.code | holds.word) && value !== '') addWord(layer, field, value);
  if (held & holds.wait) layer.waits.push({ field, value });
  if (held & holds.text) addText(value, layer);
  if (field === 'cause') visitCause(value, layer.depth + 1, search);
  else if (held & holds.part) visitText(value, layer, search);
}

function takeObject(field: string, value: object, held: number, layer: Layer, search: Search): void {
  if (held & holds.headers) layer.carriers.push(value);
  if (held & holds.wait) addDuration(field, value, layer);
  if (held & holds.opinion) addOpinion(value, layer);
  if (isList(value)) {
    if (search.seen.has(value)) return;
    if (held & holds.list) visitList(value, layer, search);
    else if (held & holds.part) for (const item of firstOf(value, membersLimit)) if (isObject(item)) visit(item, layer, search, false);
  } else if (held & holds.cause || looksLikeError(value)) {
    if (!search.seen.has(value)) visitCause(value, layer.depth + 1, search);
  } else if (held & holds.list)
    visitList(
      keysOf(value).map((key) => read(value, key)),
      layer,
      search,
    );
  else if (held & holds.part) visit(value, layer, search, false);
}

/** Text: JSON is parsed, prose counts as a message, HTML pages are ignored. */
function visitText(text: string, layer: Layer, search: Search): void {
  const start = /\S/.exec(text)?.[0];
  if (start === '{' || start === '[') visitJson(text, layer, search);
  else if (start === '<') visitXml(text, layer);
  else if (text.includes(' ')) addText(text, layer);
}

/** The codes in an error document of XML, as of SOAP (`<faultcode>`, `<Value>`) and of storage services (`<Code>`). */
function visitXml(text: string, layer: Layer): void {
  for (const [, code = ''] of text.slice(0, xmlLimit).matchAll(/<(?:faultcode|Code|(?:\w{1,12}:)?Value)>\s{0,9}([\w.:-]{2,60})\s{0,9}</g))
    addWord(layer, 'code', code);
  // the page of a proxy
  const title = /<title>(5\d\d [^<]{3,80}|application error)</i.exec(text.slice(0, xmlLimit))?.[1];
  if (title !== undefined) addText(title, layer);
}

function visitJson(text: string, layer: Layer, search: Search): void {
  const parsed = parsedJson(text);
  if (isObject(parsed)) visit(parsed, layer, search, false);
}

function addMessage(message: string, layer: Layer, search: Search): void {
  if (message === '') return;
  addText(message, layer);
  if (message.startsWith('{') || message.startsWith('[')) visitJson(message, layer, search);
}

function visitList(list: readonly unknown[], layer: Layer, search: Search): void {
  search.seen.add(list);
  for (const item of firstOf(list, membersLimit)) {
    // A message of this error, not an error of its own.
    if (typeof item === 'string') addText(item, layer);
    if (!isObject(item)) continue;
    const member = gatherInto(item, layer.depth, search.seen);
    if (member.length > 0) layer.members.push(member);
  }
}

function looksLikeError(value: object): boolean {
  return (typeof read(value, 'name') === 'string' && typeof read(value, 'message') === 'string') || hasStack(value);
}
