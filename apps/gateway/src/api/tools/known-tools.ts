/** Owns the tools that exist for a caller of the API, and the answer about one that does not. */
import type { AnyTool } from '@holdfast/core';
import { findMissing, type MissingTool, missingText, type ToolDirectory } from '../../catalog/find-tool.ts';
import { accessOfCaller } from '../may-act.ts';
import type { ApiParts } from '../parts.ts';
import { notNow, type Refusal, refuse } from '../problem.ts';
import type { RouteParts } from '../routes/parts.ts';
import { type ApiContext, readValid } from '../routes/route.ts';
import { toolParams } from '../schemas/tools.ts';

export const directoryOf = ({ service, catalog }: Pick<ApiParts, 'service' | 'catalog'>): ToolDirectory => ({
  has: (name) => service.getToolSettings(name) !== undefined,
  names: () => service.tools.map(({ name }) => name),
  coming: catalog,
});

/** Answers about the tool of the path, or says why there is none. */
export async function withTool(
  context: ApiContext,
  { api, redact }: RouteParts,
  answer: (tool: AnyTool) => Response | Promise<Response> | undefined,
): Promise<Response> {
  const { name } = readValid(context, 'param', toolParams);
  const missing = await findMissing(name, directoryOf(api), accessOfCaller(context.env.caller).allows);
  const tool = missing === undefined ? api.service.tools.find((known) => known.name === name) : undefined;
  return (tool && (await answer(tool))) ?? refuse(missingTool(missing ?? { name, code: 'UNKNOWN_TOOL' }), redact);
}

function missingTool(missing: MissingTool): Refusal {
  const { name, code, reason = `There is no tool '${name}'`, suggestion } = missing;
  if (code !== 'UNKNOWN_TOOL') return notNow(503, code, missingText(missing), neverListedMs);
  const error = { code, message: reason, field: 'name', hint: 'GET /v1/tools lists all tools.' };
  return { status: 404, error: suggestion === undefined ? error : { ...error, suggestion } };
}

/** When to ask again for a tool whose server has never listed its tools. */
export const neverListedMs = 5_000;
