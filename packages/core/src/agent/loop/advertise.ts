/** Owns how unavailable tools are offered to a model: their circuits are open (docs/specification.md#s4), or they are switched off. */
import type { ServiceContext } from '../../runtime/service/service-context.ts';
import { health } from '../../engine/admission/health.ts';
import { formatDuration } from '../../engine/plain/duration.ts';
import type { OpenCircuits } from './options.ts';

/** Whether a tool can be called now, and what the model should know about it. */
export interface ToolAvailability {
  /** False while the circuit of the tool is open or the tool is switched off; true for an unknown tool. */
  readonly available: boolean;
  /** Milliseconds until a call may be admitted again; absent when the tool is available, is switched off, or the time is unknown. */
  readonly retryAfterMs?: number;
  /** Alternatives of the tool that are available. */
  readonly alternatives: readonly string[];
  /** One sentence for the tool's description; absent for an available tool. */
  readonly note?: string;
}

export function availabilityOf(context: ServiceContext, toolName: string): ToolAvailability {
  const runtime = context.runtimeOf(toolName);
  if (!runtime) return { available: true, alternatives: [] };
  const alternatives = runtime.settings.alternatives.filter((name) => name !== toolName && !waitOf(context, name));
  const wait = waitOf(context, toolName);
  if (!wait) return { available: true, alternatives };
  const { retryAfterMs } = wait;
  const when = retryAfterMs === undefined ? '' : ` Do not call it for ${formatDuration(retryAfterMs)}.`;
  const instead = alternatives.length === 0 ? '' : ` Use ${alternatives.join(' or ')} instead.`;
  return {
    available: false,
    alternatives,
    note: runtime.enabled ? `Currently unavailable: it is failing.${when}${instead}` : `Switched off: do not call it.${instead}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Why a tool cannot be called now; `undefined` when it can. */
function waitOf(context: ServiceContext, toolName: string): { readonly retryAfterMs?: number } | undefined {
  const runtime = context.runtimeOf(toolName);
  if (!runtime?.enabled) return {};
  const { circuit, mode, retryAfterMs } = health(runtime.gate, context.system.now());
  if (circuit !== 'open' || mode === 'disabled' || mode === 'shadow') return undefined;
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}

/** A tool as it is offered to a model; frameworks add fields. */
export interface AdvertisedTool {
  /** Name of the tool in the service. */
  readonly name: string;
  /** Text that the model reads about the tool; the note about an unavailable tool is appended to it. */
  readonly description?: string | undefined;
}

/** Returns the tools as they should be offered now: the same list and the same objects when every tool is available. */
export function advertiseTools<T extends AdvertisedTool>(
  context: ServiceContext,
  tools: readonly T[],
  openCircuits: OpenCircuits,
): readonly T[] {
  if (openCircuits === 'as_is') return tools;
  const offered = tools.flatMap((tool) => {
    const { note } = availabilityOf(context, tool.name);
    if (note === undefined) return [tool];
    if (openCircuits === 'remove') return [];
    return [{ ...tool, description: tool.description ? `${tool.description}\n\n${note}` : note }];
  });
  return offered.length === tools.length && offered.every((tool, index) => tool === tools[index]) ? tools : offered;
}
