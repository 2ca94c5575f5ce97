/** Owns the effect of a tool, from the manifest or from its server. */
import type { Effect } from '@holdfast/core';
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import { effectFromAnnotations, type ToolAnnotations } from '@holdfast/runners';

export interface DeclaredEffect {
  readonly effect: Effect;
  /** Whether no effect was declared, and the worst is assumed. */
  readonly isGuessed: boolean;
}

export interface EffectSources {
  readonly tool: Effect | undefined;
  readonly annotations: unknown;
  readonly trustsAnnotations: boolean;
  /** From the defaults of the server, or else of the manifest. */
  readonly defaults: Effect | undefined;
}

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint'] as const;

/** Uses the manifest's setting of the tool, then the server's annotations, then the manifest's defaults; else assumes the worst. */
export function effectOf({ tool, annotations, trustsAnnotations, defaults }: EffectSources): DeclaredEffect {
  if (tool !== undefined) return { effect: tool, isGuessed: false };
  if (trustsAnnotations && isJsonObject(annotations) && hints.some((hint) => typeof annotations[hint] === 'boolean'))
    return { effect: effectFromAnnotations(annotations as ToolAnnotations) ?? 'unsafe', isGuessed: false };
  return defaults === undefined ? { effect: 'unsafe', isGuessed: true } : { effect: defaults, isGuessed: false };
}

/** Returns the MCP annotations of an effect. */
export function annotationsOf(effect: Effect | undefined): JsonObject | undefined {
  if (effect === 'read') return { readOnlyHint: true };
  if (effect === 'idempotent') return { readOnlyHint: false, idempotentHint: true };
  return effect === 'unsafe' ? { readOnlyHint: false } : undefined;
}
