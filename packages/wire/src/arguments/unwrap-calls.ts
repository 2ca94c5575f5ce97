/**
 * Owns calls of a tool that nobody offered: models wrap several calls into one of `multi_tool_use.parallel`.
 *
 * Invariants
 * 1. A call of a tool that is offered is never taken for a wrapper.
 * 2. The ids of the calls inside are made of the wrapper's id and their position: the same answer gives the same ids.
 */
import type { ModelCall } from '@holdfast/core/agent';
import { isList, isRecord, isText } from '../json.ts';
import { parseJson } from './parse-json.ts';

const wrappers: ReadonlySet<string> = new Set(['multi_tool_use.parallel', 'multi_tool_use_parallel', 'multi_tool_use', 'parallel']);

/**
 * The calls of an answer, with the calls inside of a wrapper in its place. The same list when there is no wrapper.
 * What goes back to the model as its own turn must have the same calls: each of them gets a result.
 *
 * @param offered names of the tools that were offered; one of them is never a wrapper
 */
export function unwrapCalls<C extends Pick<ModelCall, 'toolName' | 'callId' | 'arguments'>>(
  calls: readonly C[],
  offered: readonly string[] = [],
): readonly C[] {
  const unwrapped = calls.flatMap((call) => callsInside(call, offered) ?? [call]);
  return unwrapped.length === calls.length && unwrapped.every((call, index) => call === calls[index]) ? calls : unwrapped;
}

function callsInside<C extends ModelCall>(call: C, offered: readonly string[]): readonly C[] | undefined {
  if (!isText(call.toolName) || !wrappers.has(call.toolName) || offered.includes(call.toolName)) return undefined;
  const value = isText(call.arguments) ? parseJson(call.arguments)?.value : call.arguments;
  const uses = isRecord(value) ? value['tool_uses'] : undefined;
  if (!isList(uses) || uses.length === 0) return undefined;
  const inside = uses.map((use, index): C | undefined => {
    if (!isRecord(use) || !isText(use['recipient_name'])) return undefined;
    const name = use['recipient_name'].replace(/^functions\./, '');
    if (name === '' || wrappers.has(name)) return undefined;
    return { ...call, toolName: name, callId: `${call.callId}_${index + 1}`, arguments: use['parameters'] ?? {} };
  });
  return inside.includes(undefined) ? undefined : (inside as readonly C[]);
}
