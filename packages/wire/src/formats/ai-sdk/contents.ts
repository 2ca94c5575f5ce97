/** Owns contents that the AI SDK refuses although they are plain values. */
import { isList, isRecord, isText, valueAt, type JsonObject } from '../../json.ts';
import { sentences, type Part } from '../../transcript.ts';
import type { BlockContents, Edit } from '../block-contents.ts';

export const aiSdkContents: BlockContents = {
  list: 'content',
  resultForm: aiSdkResult,
  mayBeEmpty: ({ native }) => isText(native['content']),
};

const outputTypes: ReadonlySet<unknown> = new Set(['text', 'json', 'error-text', 'error-json', 'execution-denied', 'content']);

function aiSdkResult({ native }: Part, output: unknown, fields: readonly string[]): Edit | undefined {
  if (isRecord(output) && outputTypes.has(output['type'])) return aiSdkValue(output, fields);
  const value = output ?? valueAt(native, ['result']);
  if (value === undefined || value === null) return ['empty-content', fields, { type: 'text', value: sentences.noContent }];
  return ['content-form', fields, isText(value) ? { type: 'text', value } : { type: 'json', value }];
}

/** Corrects the value of an output that does not match its type. */
function aiSdkValue(output: JsonObject, fields: readonly string[]): Edit | undefined {
  const { type, value } = output;
  if (type === 'execution-denied') return undefined;
  if (value === undefined) return ['empty-content', fields, { ...output, type: 'text', value: sentences.noContent }];
  const texts = type === 'text' || type === 'error-text';
  if (texts ? isText(value) : type !== 'content' || isList(value)) return undefined;
  return ['content-form', fields, { ...output, type: type === 'error-text' ? 'error-json' : 'json', value }];
}
