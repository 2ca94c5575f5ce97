/** Owns what a tool does to the world: as the manifest says, or its server. */
import type { Effect } from '@holdfast/core';
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import { effectFromAnnotations, type ToolAnnotations } from '@holdfast/runners';

export interface SaidEffect {
  readonly effect: Effect;
  /** Nobody said it: what the tool does is not known. */
  readonly isGuessed: boolean;
}

export interface EffectSources {
  readonly tool: Effect | undefined;
  readonly annotations: unknown;
  readonly trustsAnnotations: boolean;
  /** Of the server's defaults, or else of the whole file's. */
  readonly defaults: Effect | undefined;
}

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint'] as const;

/** The manifest's word on the tool, then the server's, then the manifest's on all of them; else the worst is assumed. */
export function effectOf({ tool, annotations, trustsAnnotations, defaults }: EffectSources): SaidEffect {
  if (tool !== undefined) return { effect: tool, isGuessed: false };
  if (trustsAnnotations && isJsonObject(annotations) && hints.some((hint) => typeof annotations[hint] === 'boolean'))
    return { effect: effectFromAnnotations(annotations as ToolAnnotations) ?? 'unsafe', isGuessed: false };
  return defaults === undefined ? { effect: 'unsafe', isGuessed: true } : { effect: defaults, isGuessed: false };
}

/** What an effect says in the words of MCP. */
export function annotationsOf(effect: Effect | undefined): JsonObject | undefined {
  if (effect === 'read') return { readOnlyHint: true };
  if (effect === 'idempotent') return { readOnlyHint: false, idempotentHint: true };
  return effect === 'unsafe' ? { readOnlyHint: false } : undefined;
}
