/** Owns finding a tool by its name, also right after the start, before servers have listed their tools. */
import type { AnyTool } from '@holdfast/core';
import { suggest } from '@holdfast/core/internal/plain';
import type { ApiParts } from '../parts.ts';
import type { Refusal } from '../problem.ts';

type Parts = Pick<ApiParts, 'service' | 'catalog'>;

type Allows = (tool: string) => boolean;

/** `allows`: which tools exist for the caller. */
export async function findTool(name: string, parts: Parts, allows: Allows): Promise<AnyTool | undefined> {
  if (!allows(name)) return undefined;
  if (!isKnown(name, parts)) await parts.catalog?.ready?.();
  return parts.service.tools.find((tool) => tool.name === name);
}

export function unknownTool(name: string, { service, catalog }: Parts, allows: Allows): Refusal {
  const near = suggest(name, service.tools.map((tool) => tool.name).filter(allows));
  const message = (allows(name) ? catalog?.withheld?.(name) : undefined) ?? `There is no tool '${name}'`;
  const error = { code: 'UNKNOWN_TOOL', message, field: 'name', hint: 'GET /v1/tools lists all tools.' };
  return { status: 404, error: near === undefined ? error : { ...error, suggestion: near } };
}

const isKnown = (name: string, { service }: Parts): boolean => service.tools.some((tool) => tool.name === name);
