/** Whether a report explains a repair: apart from the reported changes, nothing differs. */
import type { Change } from '@holdfast/wire';
import { expect } from 'vitest';

type Json = Record<string, unknown>;

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const messagesOf = (request: unknown, list: string): readonly unknown[] =>
  isRecord(request) && Array.isArray(request[list]) ? request[list] : [];

/** Reasoning in every format, by its distinguishing field. */
export function reasoningOf(request: unknown, list: string): readonly string[] {
  const found: string[] = [];
  visit(messagesOf(request, list), (value) => {
    const mark = value['signature'] ?? value['reasoning_content'] ?? (value['thought'] === true ? value['text'] : undefined);
    if (typeof mark === 'string') found.push(mark);
    if (value['type'] === 'reasoning') found.push(String(value['text'] ?? value['encrypted_content']));
  });
  return found;
}

/** The number of calls. */
export function callsIn(value: unknown): number {
  let count = 0;
  visit(value, (each) => {
    if (callTypes.has(each['type']) || 'functionCall' in each || 'toolUse' in each) count += 1;
  });
  return count;
}

const callTypes: ReadonlySet<unknown> = new Set(['function', 'function_call', 'tool_use', 'tool-call']);

function visit(value: unknown, see: (value: Json) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, see);
  if (!isRecord(value)) return;
  see(value);
  for (const item of Object.values(value)) visit(item, see);
}

interface Atom {
  readonly path: string;
  readonly json: string;
}

/** The parts of a transcript in order: blocks, calls, results. */
function atomsOf(request: unknown, list: string): readonly Atom[] {
  return messagesOf(request, list).flatMap((message, index) => {
    const path = `${list}.${index}`;
    if (!isRecord(message)) return message === undefined ? [] : [{ path, json: JSON.stringify(message) }];
    if (list === 'input' || (message['role'] === 'tool' && !Array.isArray(message['content'])))
      return [{ path, json: JSON.stringify(message) }];
    return [
      ...contentAtoms(message, 'parts', path),
      ...contentAtoms(message, 'content', path),
      ...contentAtoms(message, 'tool_calls', path),
    ];
  });
}

function contentAtoms(message: Json, field: string, path: string): readonly Atom[] {
  const value = message[field];
  if (Array.isArray(value)) {
    return value.flatMap((block: unknown, index) =>
      block === undefined ? [] : [{ path: `${path}.${field}.${index}`, json: JSON.stringify(plainText(block)) }],
    );
  }
  if (value === undefined || value === null) return [];
  return [{ path: `${path}.${field}`, json: JSON.stringify(value) }];
}

/** A block that contains only text counts as that text. */
const plainText = (block: unknown): unknown => {
  if (!isRecord(block) || typeof block['text'] !== 'string') return block;
  const { text, type, ...rest } = block;
  return Object.keys(rest).length === 0 && (type === undefined || type === 'text') ? text : block;
};

function put(target: unknown, path: readonly string[], value: unknown): void {
  let owner = target as Json;
  for (const step of path.slice(0, -1)) {
    if (owner[step] === undefined || owner[step] === null || typeof owner[step] !== 'object') owner[step] = {};
    owner = owner[step] as Json;
  }
  const last = path.at(-1) ?? '';
  if (value === undefined && !Array.isArray(owner)) delete owner[last];
  else owner[last] = value;
}

export function explain(given: unknown, repaired: unknown, changes: readonly Change[], list: string): void {
  const edited = structuredClone(given);
  for (const { action, path, after } of changes) {
    if (action === 'edited') put(edited, path.split('.'), after);
    if (action === 'removed') put(edited, path.split('.'), undefined);
  }
  const from = new Set(changes.filter(({ action }) => action === 'moved').map(({ before }) => before));
  const to = new Set(changes.filter(({ action }) => action === 'moved').map(({ after }) => after));
  const added = new Map(changes.filter(({ action }) => action === 'added').map(({ path, after }) => [path, after]));
  const before = atomsOf(edited, list);
  const after = atomsOf(repaired, list);
  const jsonOf = ({ json }: Atom): string => json;
  expect(after.filter(({ path }) => !to.has(path) && !added.has(path)).map(jsonOf)).toEqual(
    before.filter(({ path }) => !from.has(path)).map(jsonOf),
  );
  expect(
    after
      .filter(({ path }) => to.has(path))
      .map(jsonOf)
      .toSorted(),
  ).toEqual(
    before
      .filter(({ path }) => from.has(path))
      .map(jsonOf)
      .toSorted(),
  );
}
