/**
 * Owns how unavailable tools are offered to a model: their circuits are open (docs/specification.md#s4), or they are switched off.
 *
 * Invariant: what is offered keeps its bytes while nothing has changed, so that a provider's prompt cache stays valid. It contains no remaining times, and tools whose
 * calls wait for recovery instead of being refused are offered as they are.
 */
import type { ServiceContext } from '../../runtime/service/service-context.ts';
import { health } from '../../engine/admission/health.ts';
import { checkRule, listOf } from '../../engine/settings/check.ts';
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
  /** One sentence for a result about it; absent for an available tool. */
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
  return {
    available: false,
    alternatives,
    note: noteOf(runtime.enabled, when, alternatives),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function noteOf(enabled: boolean, when: string, alternatives: readonly string[]): string {
  const instead = alternatives.length === 0 ? '' : ` Use ${alternatives.join(' or ')} instead.`;
  return enabled ? `Currently unavailable: it is failing.${when}${instead}` : `Disabled: do not call it.${instead}`;
}

/** The note in what is offered: `undefined` for a tool that is available, or whose calls wait until it is. */
function offeredNote(context: ServiceContext, toolName: string): string | undefined {
  const { available, alternatives, retryAfterMs } = availabilityOf(context, toolName);
  const runtime = context.runtimeOf(toolName);
  if (available || !runtime) return undefined;
  if (runtime.enabled && runtime.settings.waitForRecovery && retryAfterMs !== undefined) return undefined;
  return noteOf(runtime.enabled, '', alternatives);
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
  checkRule(listOf('object', 'an array of tools'), tools, 'advertise: tools');
  if (openCircuits === 'as_is') return tools;
  const offered = tools.flatMap((tool) => {
    const note = offeredNote(context, tool.name);
    if (note === undefined) return [tool];
    if (openCircuits === 'remove') return [];
    return [{ ...tool, description: tool.description ? `${tool.description}\n\n${note}` : note }];
  });
  return offered.length === tools.length && offered.every((tool, index) => tool === tools[index]) ? tools : offered;
}
