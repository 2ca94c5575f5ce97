/**
 * Owns interpreting a provider's error: which rule is broken, and whether the cause is the transcript, the model or the
 * tool definitions. Never throws: an unreadable error is an unknown fault.
 */
import { isList, isRecord, isText } from '../json.ts';
import type { RuleKind } from '../rules.ts';
import type { RuleId } from '../rules.ts';
import { faultPatterns } from './patterns.ts';

/** The rule a provider's error is about, and where to fix it. */
export interface RequestFault {
  /** Id of the broken rule. */
  readonly rule: RuleId;
  /**
   * `history`: repair the transcript and send once more; a retry alone never helps. `model`: ask the model again, with a hint.
   * `definition`: a developer must change the tools. `state`: the provider holds the calls.
   */
  readonly kind: RuleKind;
  /** The provider's error message, shortened. */
  readonly message: string;
}

const maxText = 20_000;
const maxDepth = 6;

/** Finds the rule a provider's error is about; `undefined` if the message is not known. Accepts error objects, response bodies and texts. */
export function faultOf(error: unknown): RequestFault | undefined {
  const text = tryRead(() => textIn(error)) ?? '';
  const found = faultPatterns.find(({ pattern }) => pattern.test(text));
  return found && { rule: found.rule, kind: found.kind, message: text.trim().slice(0, 500) };
}

/** All texts in an error, joined. */
function textIn(error: unknown): string {
  const texts: string[] = [];
  collect(error, texts, new Set(), 0);
  return texts.join('\n').slice(0, maxText);
}

const textFields = [
  'message',
  'error',
  'code',
  'type',
  'param',
  'failed_generation',
  'finishReason',
  'finishMessage',
  'finish_reason',
] as const;
const nestedFields = ['body', 'response', 'responseBody', 'data', 'cause', 'details', 'errors', 'lastError', 'candidates'] as const;

function collect(value: unknown, texts: string[], seen: Set<unknown>, depth: number): void {
  if (isText(value)) {
    texts.push(value.slice(0, maxText));
    return;
  }
  if (depth > maxDepth || typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  if (isList(value)) for (const item of value.slice(0, 20)) collect(item, texts, seen, depth + 1);
  if (!isRecord(value)) return;
  for (const field of [...textFields, ...nestedFields]) collect(fieldOf(value, field), texts, seen, depth + 1);
}

const fieldOf = (value: object, field: string): unknown => tryRead(() => (value as Record<string, unknown>)[field]);

function tryRead<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
