/**
 * Owns keeping results within the size limit of the gateway: a large part is kept as a resource, and replaced by its start and a link.
 *
 * Invariants
 * 1. A result within the limit is the same object.
 * 2. The largest parts are replaced first, each by a link and a sentence that a model can act on.
 * 3. A structured result is shortened if its schema allows that; if not, the result is an error: clients would reject it otherwise.
 */
import { headOf } from '@holdfast/core/internal/plain';
import { Pauses } from '@holdfast/mcp-wire/client';
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import { errorKey } from './failure-meta.ts';
import { jsonInSlices } from './json-in-slices.ts';
import type { OutputCheck } from './output-check.ts';
import { shrinkToFit } from './shrink-result.ts';
import { sizeWithin } from './wire-size.ts';
import type { Kept } from './spill-store.ts';

/** Keeps results for the client that called. */
interface OwnSpills {
  keep(kept: Omit<Kept, 'owner'>): Promise<string | undefined>;
}

export interface CapOptions {
  readonly maxBytes: number;
  readonly keepMs: number;
  readonly store: OwnSpills;
  readonly check: OutputCheck | undefined;
}

/** Maximum number of characters of a text that remain. */
const maxHeadChars = 8000;
/** Replacing a smaller part by a link and a sentence would save nothing. */
const minSpillChars = 2000;

export async function capResult(result: JsonObject, options: CapOptions): Promise<JsonObject> {
  const { maxBytes } = options;
  const isSecret = result['isError'] === true;
  const pauses = new Pauses();
  // Reading so large a result has taken long already.
  await pauses.pause();
  const structured = await capStructured(result, options);
  let content = Array.isArray(result['content']) ? (result['content'] as readonly unknown[]) : [];
  let left = sizeWithin(structured.fields, maxBytes);
  const sizes: number[] = [];
  for (const part of content) {
    const size = sizeWithin(part, maxBytes);
    sizes.push(size);
    left += size;
    if (pauses.isDue) await pauses.pause();
  }
  const large = sizes.flatMap((size, index) => (size < minSpillChars ? [] : [index])).toSorted((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0));
  const capped = new Map<number, readonly unknown[]>();
  for (const index of large) {
    if (left <= maxBytes) break;
    const parts = await spillPart(content[index], isSecret, options);
    capped.set(index, parts);
    left += sizeWithin(parts, maxBytes) - (sizes[index] ?? 0);
  }
  if (capped.size > 0) content = content.flatMap((part, index) => capped.get(index) ?? [part]);
  if (left > maxBytes) content = await spillAll(content, isSecret, options);
  return { ...structured.fields, content: [...structured.notes, ...content] };
}

interface CappedStructure {
  /** The result without its content. */
  readonly fields: JsonObject;
  readonly notes: readonly unknown[];
}

async function capStructured(result: JsonObject, { maxBytes, store, check }: CapOptions): Promise<CappedStructure> {
  const { structuredContent } = result;
  const { fields, notes: leftOut } = fieldsWithin(result, Math.floor(maxBytes / 4));
  const limit = Math.floor(maxBytes / 2);
  if (structuredContent === undefined || sizeWithin(structuredContent, limit) <= limit)
    return { fields: structuredContent === undefined ? fields : { ...fields, structuredContent }, notes: leftOut };
  const json = await jsonInSlices(structuredContent);
  const uri = await store.keep({ mimeType: 'application/json', content: json, isSecret: result['isError'] === true });
  const notes = [
    ...leftOut,
    { type: 'text', text: describeSpill('The structured result', json.length, uri) },
    ...linkTo(uri, 'structured result', 'application/json', json.length),
  ];
  const small = isJsonObject(structuredContent)
    ? shrinkToFit(structuredContent, limit, `… [truncated${uri === undefined ? '' : `, complete: ${uri}`}]`)
    : undefined;
  if (small !== undefined && check?.(small) === undefined) return { fields: { ...fields, structuredContent: small }, notes };
  if (check === undefined) return { fields, notes };
  const meta = isJsonObject(fields['_meta']) ? fields['_meta'] : {};
  const error = { code: 'RESULT_TOO_LARGE', category: 'payload_too_large', classification: 'permanent', retryable: false };
  return {
    fields: { ...fields, isError: true, _meta: { ...meta, [errorKey]: { ...error, ...(meta[errorKey] as object | undefined) } } },
    notes,
  };
}

/** The other fields of a result, without those that are too large: clients need none of them. */
function fieldsWithin(result: JsonObject, limit: number): CappedStructure {
  const fields: Record<string, unknown> = {};
  let left = limit;
  let hasLarge = false;
  for (const key of new Set(['isError', '_meta', ...Object.keys(result)])) {
    if (key === 'content' || key === 'structuredContent' || result[key] === undefined) continue;
    const size = key.length + 4 + sizeWithin(result[key], left);
    if (size > left) hasLarge = true;
    else {
      fields[key] = result[key];
      left -= size;
    }
  }
  return { fields, notes: hasLarge ? [{ type: 'text', text: '[Some fields of the result are too large and were left out.]' }] : [] };
}

async function spillPart(part: unknown, isSecret: boolean, { maxBytes, store }: CapOptions): Promise<unknown[]> {
  if (!isJsonObject(part)) return spillJson(part, isSecret, store);
  const { type, text, data, mimeType, resource } = part;
  if (type === 'text' && typeof text === 'string') return spillText(part, text, 'text/plain', { isSecret, maxBytes, store });
  if (typeof data === 'string') return spillBytes(data, textOr(mimeType, 'application/octet-stream'), store);
  if (isJsonObject(resource) && typeof resource['blob'] === 'string')
    return spillBytes(resource['blob'], textOr(resource['mimeType'], 'application/octet-stream'), store);
  if (isJsonObject(resource) && typeof resource['text'] === 'string')
    return spillText({ type: 'text' }, resource['text'], textOr(resource['mimeType'], 'text/plain'), { isSecret, maxBytes, store });
  return spillJson(part, isSecret, store);
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

interface TextOptions {
  readonly isSecret: boolean;
  readonly maxBytes: number;
  readonly store: OwnSpills;
}

async function spillText(part: JsonObject, text: string, mimeType: string, { isSecret, maxBytes, store }: TextOptions): Promise<unknown[]> {
  const uri = await store.keep({ mimeType, content: text, isSecret });
  const head = headOf(text, Math.min(maxHeadChars, Math.floor(maxBytes / 8)));
  const note = `\n\n[${describeSpill('This text', text.length, uri)} Only the first ${head.length} characters are shown.]`;
  return [{ ...part, text: head + note }, ...linkTo(uri, 'whole text', mimeType, Buffer.byteLength(text))];
}

async function spillBytes(base64: string, mimeType: string, store: OwnSpills): Promise<unknown[]> {
  const bytes = Buffer.from(base64, 'base64');
  const uri = await store.keep({ mimeType, content: bytes, isSecret: false });
  const text = `[This ${mimeType} of ${bytes.byteLength} bytes is too large for a result. ${uri === undefined ? 'It is not kept.' : `Read it as resource ${uri}.`}]`;
  return [{ type: 'text', text }, ...linkTo(uri, 'content', mimeType, bytes.byteLength)];
}

async function spillJson(part: unknown, isSecret: boolean, store: OwnSpills): Promise<unknown[]> {
  const json = await jsonInSlices(part);
  const uri = await store.keep({ mimeType: 'application/json', content: json, isSecret });
  return [
    { type: 'text', text: `[${describeSpill('This part', json.length, uri)}]` },
    ...linkTo(uri, 'part', 'application/json', json.length),
  ];
}

/** For very many small parts: the first ones remain. */
async function spillAll(content: readonly unknown[], isSecret: boolean, { maxBytes, store }: CapOptions): Promise<readonly unknown[]> {
  const limit = Math.floor(maxBytes / 4);
  let size = 0;
  const kept = content.filter((part) => (size += sizeWithin(part, limit)) <= limit);
  const json = await jsonInSlices(content);
  const uri = await store.keep({ mimeType: 'application/json', content: json, isSecret });
  const text = `[${describeSpill('This result', json.length, uri)} It has ${content.length} parts, of which ${kept.length} are shown.]`;
  return [...kept, { type: 'text', text }, ...linkTo(uri, 'whole result', 'application/json', json.length)];
}

function describeSpill(what: string, length: number, uri: string | undefined): string {
  const size = `${what} has ${length} characters, too many for a result.`;
  if (uri === undefined) return `${size} The rest is not kept: request less.`;
  return `${size} The complete content is available as resource ${uri} for a limited time. Read parts of it with ${uri}?offset=0&limit=20000, or request less.`;
}

function linkTo(uri: string | undefined, name: string, mimeType: string, size: number): readonly JsonObject[] {
  return uri === undefined ? [] : [{ type: 'resource_link', uri, name, mimeType, size }];
}
