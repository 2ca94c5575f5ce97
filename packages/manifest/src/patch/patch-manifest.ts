/**
 * Owns writing settings of tools into the text of a manifest. Only changed values are edited, so that comments, order and formatting stay. Writes no file; the
 * result is for review.
 *
 * 1. A change that would need other lines to be rearranged is refused, with the position where it belongs.
 * 2. The patched text parses to the old manifest with the changes.
 */
import { toolFields } from '@holdfast/core/internal';
import { checkOptions, checkRule, isRecord, mapOf, suggest } from '@holdfast/core/internal/plain';
import type { ToolPolicy } from '@holdfast/core';
import { isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { fromPolicy } from '../policy-words.ts';
import type { Field, Shape } from '../shape/shape.ts';
import { policyShape } from '../tables/policy.ts';
import { unifiedDiff } from './unified-diff.ts';

/** Options for a patch. */
export interface PatchOptions {
  /** Name of the file in the diff. @default 'holdfast.yaml' */
  readonly file?: string;
}

/** The patched text of a manifest with its unified diff, or the problem that prevents the change. */
export type ManifestPatch =
  | { readonly text: string; readonly diff: string; readonly problem?: undefined }
  /** Why the change cannot be made, and what to write by hand. */
  | { readonly problem: string };

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** `changes`: by tool id. The diff is empty if the manifest has these settings already. */
export function patchManifest(text: string, changes: Readonly<Record<string, ToolPolicy>>, options: PatchOptions = {}): ManifestPatch {
  checkOptions({ file: 'string' }, options, 'patchManifest');
  checkRule('string', text, 'patchManifest: text');
  checkRule(mapOf(toolFields, 'an object of settings by tool id'), changes, 'patchManifest: changes', suggest);
  const { file = 'holdfast.yaml' } = options;
  const document = parseDocument(text, { uniqueKeys: false });
  if (document.errors.length > 0) return { problem: `${file} cannot be read as YAML. Run holdfast check to see why.` };
  const edits: Edit[] = [];
  for (const [tool, policy] of Object.entries(changes)) {
    const words = fromPolicy(policy);
    const entry = entryOf(document.contents, tool);
    if (!entry) return { problem: manualInstruction(file, tool, words, 'it has no such tool') };
    const unwritten = write(text, entry, words, edits, policyShape);
    if (unwritten !== undefined)
      return { problem: manualInstruction(file, tool, words, `'${unwritten}' has a form that cannot be edited safely`) };
  }
  // From the end, so that offsets stay valid; at one offset, later insertions come first: inner settings precede the following ones.
  const patched = edits
    .toReversed()
    .toSorted((one, other) => other.from - one.from)
    .reduce((whole, edit) => whole.slice(0, edit.from) + edit.text + whole.slice(edit.to), text);
  if (parseDocument(patched).errors.length > 0)
    return { problem: `the change could not be written to ${file}. Make it manually: ${flowStyle(changes)}` };
  return { text: patched, diff: unifiedDiff(text, patched, file) };
}

function entryOf(root: unknown, tool: string): YAMLMap | undefined {
  if (!isMap(root)) return undefined;
  const tools = root.get('tools');
  const entries = isSeq(tools) ? tools.items : [root.get('tool')];
  return entries.find((each): each is YAMLMap => isMap(each) && each.get('id') === tool);
}

function manualInstruction(file: string, tool: string, words: object, why: string): string {
  return `${file}: ${why}. Write the settings of '${tool}' by hand: ${flowStyle(words)}`;
}

/** Returns the key that cannot be written, if there is one. */
function write(text: string, map: YAMLMap, words: Plain, edits: Edit[], shape: Shape | undefined): string | undefined {
  const missing: [string, unknown][] = [];
  for (const [key, value] of Object.entries(words)) {
    const field = fieldsOf(shape).find((each) => each.key === key);
    const pair = map.items.find((each) => isScalar(each.key) && (each.key.value === key || each.key.value === field?.alias));
    if (!pair) missing.push([key, value]);
    else if (!overwrite(text, pair, value, edits, field?.shape)) return key;
  }
  return missing.length === 0 || insert(text, map, missing, edits) ? undefined : missing[0]?.[0];
}

/** The fields of a record, or of the record among several shapes. */
function fieldsOf(shape: Shape | undefined): readonly Field[] {
  if (shape?.kind === 'either') return shape.options.flatMap(fieldsOf);
  return shape?.kind === 'record' ? shape.fields : [];
}

function overwrite(text: string, { value: node }: Pair, value: unknown, edits: Edit[], shape: Shape | undefined): boolean {
  if (!(isScalar(node) || isMap(node) || isSeq(node)) || !node.range || node.anchor) return false;
  if (isMap(node) && isRecord(value)) return write(text, node, value, edits, shape) === undefined;
  const [from] = node.range;
  const before = text.slice(from, node.range[1]).trimEnd();
  const written = flowStyle(value);
  if (before !== written) edits.push({ from, to: from + before.length, text: written });
  return true;
}

function insert(text: string, map: YAMLMap, entries: readonly (readonly [string, unknown])[], edits: Edit[]): boolean {
  const { range } = map;
  if (!range) return false;
  const lines = entries.map(([key, value]) => `${key}: ${flowStyle(value)}`);
  if (map.flow) {
    const before = text.slice(range[0], range[1] - 1).trimEnd();
    const at = range[0] + before.length;
    const inside = lines.join(', ');
    edits.push({ from: at, to: at, text: map.items.length === 0 ? ` ${inside} ` : `${before.endsWith(',') ? ' ' : ', '}${inside}` });
    return true;
  }
  const [start, end] = [startOf(map.items[0]), endOf(map.items.at(-1))];
  if (start === undefined || end === undefined) return false;
  const column = start - (text.lastIndexOf('\n', start - 1) + 1);
  const lineEnd = text.indexOf('\n', end);
  const at = lineEnd === -1 ? text.length : lineEnd;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const place = text[at - 1] === '\r' ? at - 1 : at;
  edits.push({ from: place, to: place, text: lines.map((line) => `${newline}${' '.repeat(column)}${line}`).join('') });
  return true;
}

function startOf(pair: Pair | undefined): number | undefined {
  const key: unknown = pair?.key;
  return isScalar(key) ? key.range?.[0] : undefined;
}

/** The offset after the last character that is not a space or comment: the range of a block extends to the next entry. */
function endOf(pair: Pair | undefined): number | undefined {
  const value: unknown = pair?.value;
  if (isMap(value) && !value.flow && value.items.length > 0) return endOf(value.items.at(-1));
  if (isSeq(value) && !value.flow && value.items.length > 0) {
    const item: unknown = value.items.at(-1);
    return isMap(item) && !item.flow
      ? endOf(item.items.at(-1))
      : isScalar(item) || isMap(item) || isSeq(item)
        ? item.range?.[1]
        : undefined;
  }
  if (isScalar(value) && (value.type === 'BLOCK_LITERAL' || value.type === 'BLOCK_FOLDED'))
    return value.range ? value.range[1] - 1 : undefined;
  if (isScalar(value) || isMap(value) || isSeq(value)) return value.range?.[1];
  return undefined;
}

/** The value in flow style. */
function flowStyle(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowStyle).join(', ')}]`;
  if (isRecord(value))
    return `{ ${Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => `${key}: ${flowStyle(inner)}`)
      .join(', ')} }`;
  if (value === Infinity) return '.inf';
  return typeof value === 'string' && !/^[a-z][\w-]*$/i.test(value) ? JSON.stringify(value) : String(value);
}

type Plain = Readonly<Record<string, unknown>>;
