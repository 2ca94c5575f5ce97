/**
 * Owns unwrapping calls of pseudo-tools: models wrap several calls into one call of `multi_tool_use.parallel`.
 *
 * Invariants
 * 1. A call of an offered tool is never treated as a wrapper.
 * 2. The ids of the inner calls are derived from the wrapper's id and their position: the same answer gives the same ids.
 */
import { checkRule, listOf } from '@holdfast/core/internal/plain';
import type { ModelCall } from '@holdfast/core/agent';
import { isList, isRecord, isText } from '../json.ts';
import { parseJson } from './parse-json.ts';

const wrappers: ReadonlySet<string> = new Set(['multi_tool_use.parallel', 'multi_tool_use_parallel', 'multi_tool_use', 'parallel']);

/**
 * Replaces each wrapper call of an answer by the calls inside it. Returns the same list if there is no wrapper.
 *
 * The assistant turn sent back to the model must contain the same calls, since each of them gets a result.
 * @param offered names of the offered tools, which are never treated as wrappers
 */
export function unwrapCalls<C extends Pick<ModelCall, 'toolName' | 'callId' | 'arguments'>>(
  calls: readonly C[],
  offered: readonly string[] = [],
): readonly C[] {
  checkRule(listOf('object', 'an array of calls'), calls, 'unwrapCalls: calls');
  checkRule(listOf('string', 'an array of names'), offered, 'unwrapCalls: offered');
  const unwrapped = calls.flatMap((call) => callsInside(call, offered) ?? [call]);
  return unwrapped.length === calls.length && unwrapped.every((call, index) => call === calls[index]) ? calls : unwrapped;
}

function callsInside<C extends ModelCall>(call: C, offered: readonly string[]): readonly C[] | undefined {
  if (!isText(call.toolName) || !wrappers.has(call.toolName) || offered.includes(call.toolName)) return undefined;
  const parsed = isText(call.arguments) ? parseJson(call.arguments) : { value: call.arguments, bigIntegers: false };
  // The arguments inside could no longer be told from strings of digits.
  const value = parsed?.bigIntegers === false ? parsed.value : undefined;
  const uses = isRecord(value) ? value['tool_uses'] : undefined;
  if (!isList(uses) || uses.length === 0) return undefined;
  const inside = uses.map((use, index): C | undefined => {
    if (!isRecord(use) || !isText(use['recipient_name'])) return undefined;
    // Without `parameters`, anything else that it contains may be the arguments.
    if (!('parameters' in use) && Object.keys(use).length > 1) return undefined;
    const name = use['recipient_name'].replace(/^functions\./, '');
    if (name === '' || wrappers.has(name)) return undefined;
    return { ...call, toolName: name, callId: `${call.callId}_${index + 1}`, arguments: use['parameters'] ?? {} };
  });
  return inside.includes(undefined) ? undefined : (inside as readonly C[]);
}
