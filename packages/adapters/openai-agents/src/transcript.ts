/**
 * Owns converting the SDK's items to OpenAI's Responses format and back.
 *
 * Invariants
 * 1. A valid transcript is returned as the same list.
 * 2. Ids of items are ignored, since the SDK generates some.
 */
import type { ExecutedArguments, UntypedFields } from '@holdfast/adapter-kit';
import type { AgentInputItem } from '@openai/agents';

/** The SDK's item of a converted one; preserved in copies. */
const source: unique symbol = Symbol('source');

export interface View extends UntypedFields {
  readonly [source]?: UntypedFields;
}

/** Converts a list of items for `repair`. Calls held by the provider are not reported as missing. */
export function requestOf(items: readonly AgentInputItem[]): { readonly input: readonly View[]; readonly previous_response_id?: string } {
  const held = items.some(isResult) && !items.some(isFromModel);
  return { input: items.map((item) => viewOf(item as UntypedFields)), ...(held ? { previous_response_id: 'held' } : {}) };
}

const isResult = ({ type }: AgentInputItem): boolean => type === 'function_call_result';

const isFromModel = (item: AgentInputItem): boolean => !isResult(item) && !('role' in item && item.role !== 'assistant');

function viewOf(item: UntypedFields): View {
  const { type, callId: call_id, name, arguments: args, role, content, output, providerData } = item;
  switch (type) {
    case undefined:
    case 'message':
      return { role, content, [source]: item };
    case 'function_call':
      return { type, call_id, name, arguments: args, [source]: item };
    case 'function_call_result':
      return { type: 'function_call_output', call_id, output: contentOf(output), [source]: item };
    case 'reasoning':
      return { type, summary: [], ...Object(providerData), [source]: item };
    default:
      return { type: `agents_${String(type)}`, [source]: item };
  }
}

function contentOf(output: unknown): unknown {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return output;
  const { type, text } = output as UntypedFields;
  return type === 'text' ? text : [output];
}

/** Converts repaired views back to the SDK's items; unchanged ones are the same items. */
export function itemsOf(views: readonly View[]): AgentInputItem[] {
  const names = new Map(views.filter(({ type }) => type === 'function_call').map(({ call_id, name }) => [call_id, name]));
  return views.map((view) => {
    const {
      [source]: item = {},
      type,
      call_id: callId,
      name = names.get(view['call_id']) ?? '',
      arguments: args,
      role,
      content,
      output,
    } = view;
    const text = typeof output === 'string' ? { type: 'text', text: output } : output;
    const changes =
      type === 'function_call'
        ? { type, callId, name, arguments: args }
        : type === 'function_call_output'
          ? { type: 'function_call_result', status: 'completed', ...item, callId, name: item['name'] ?? name, output: text }
          : { type: 'message', ...(role === undefined ? {} : { role, content }) };
    const before = viewOf(item);
    const same = Object.keys(view).every((key) => view[key] === before[key] || (key === 'output' && Array.isArray(output)));
    return (item['type'] !== undefined || 'role' in item) && same ? item : { ...item, ...changes };
  }) as unknown as AgentInputItem[];
}

/** Replaces the arguments of calls by the executed ones; returns the same list if none differ. */
export function withExecutedArguments(items: AgentInputItem[], executed: ExecutedArguments): AgentInputItem[] {
  if (executed.isEmpty) return items;
  return items.map((item) => {
    const args = item.type === 'function_call' ? executed.get(item.callId, item.arguments) : undefined;
    return args === undefined ? item : ({ ...item, arguments: JSON.stringify(args) } as AgentInputItem);
  });
}

/** Sorts adjacent results by the order of their calls; returns the same list if they are sorted. */
export function inCallOrder(items: AgentInputItem[]): AgentInputItem[] {
  const places = new Map<string, number>();
  items.forEach((item, index) => {
    if (item.type === 'function_call') places.set(item.callId, index);
  });
  const placeOf = (item: AgentInputItem): number => (item.type === 'function_call_result' ? (places.get(item.callId) ?? -1) : -1);
  const isBehind = (item: AgentInputItem, index: number): boolean => {
    const before = items[index - 1];
    return before === undefined || !isResult(item) || !isResult(before) || placeOf(before) <= placeOf(item);
  };
  if (items.every(isBehind)) return items;
  const ordered = [...items];
  for (let from = 0; from < ordered.length; from += 1) {
    let end = from;
    while (ordered[end]?.type === 'function_call_result') end += 1;
    const run = ordered.slice(from, end).toSorted((one, other) => placeOf(one) - placeOf(other));
    ordered.splice(from, run.length, ...run);
    from = end;
  }
  return ordered;
}
