/** Owns results in MCP's form that say that their tool failed: as an error for the service, and back with the text for the model. */

/** The fields used of a result; all others are kept. */
interface CallResult {
  readonly content?: unknown;
  readonly isError?: boolean;
}

/** One part of a result's content. */
export interface ContentPart {
  /** Kind of content; `text` has a string. */
  readonly type: unknown;
  /** The text of a part of the type `text`. */
  readonly text?: unknown;
}

/** Results, by the errors created from them. */
const failedResults = new WeakMap<object, CallResult>();

/** Whether the SDKs can read a part of a result's content. */
export const isContentPart = (part: unknown): part is ContentPart =>
  typeof part === 'object' &&
  part !== null &&
  'type' in part &&
  (part.type !== 'text' || ('text' in part && typeof part.text === 'string'));

const partsOf = ({ content }: CallResult): readonly ContentPart[] =>
  Array.isArray(content) ? (content as readonly unknown[]).filter(isContentPart) : [];

/** The error of a result that says that it is one, with the result's own words; `undefined` for any other value. */
export function errorOfResult(result: unknown): Error | undefined {
  const failed = Object(result) as CallResult;
  if (failed.isError !== true) return undefined;
  const text = partsOf(failed)
    .flatMap((part) => (part.type === 'text' ? [String(part.text)] : []))
    .join('\n');
  const error = Object.assign(new Error(text === '' ? 'The tool failed without an error message' : text), { code: 'MCP_TOOL_ERROR' });
  failedResults.set(error, failed);
  return error;
}

/** The result from which an error was created. */
export const resultOfError = (error: unknown): object | undefined => failedResults.get(Object(error) as object);

/** A failed result with the text for the model in place of the tool's own text. All else of the tool's result is kept. */
export function failedResultWith(text: string, error: unknown): { readonly content: readonly object[]; readonly isError: true } {
  const { content, ...others } = (resultOfError(error) ?? {}) as CallResult;
  return { ...others, content: [{ type: 'text', text }, ...partsOf({ content }).filter(({ type }) => type !== 'text')], isError: true };
}
