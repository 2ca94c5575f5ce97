/** Owns `/v1/tools`: the tools, their health, and their circuits. */
import type { CircuitCommand as CoreCommand } from '@holdfast/core';
import type { CircuitCommand, ToolCircuit, ToolItem, ToolPage } from '../../contract.ts';
import { suggest } from '@holdfast/core/internal/plain';
import type { ApiParts } from '../parts.ts';
import { type Access, seesAll } from '../../access/access.ts';
import { wholeHealth } from '../../access/client-circuits.ts';
import { accessOfCaller } from '../may-act.ts';
import { type Refusal, refuse } from '../problem.ts';
import {
  type CircuitRequest,
  circuitRequest,
  toolCircuit,
  toolDetail as detailSchema,
  toolPage,
  toolParams,
  toolQuery,
} from '../schemas/tools.ts';
import { inTurns, type Steps } from '../../plain/steps.ts';
import { withTool } from '../tools/known-tools.ts';
import { toolDetail, toolHealth, toolItem } from '../tools/tool-view.ts';
import type { RouteParts } from './parts.ts';
import { type ApiContext, type ApiRoute, json, jsonAnswer, parameters, readJson, reference, refusals, readValid } from './route.ts';

export function toolRoutes(parts: RouteParts): readonly ApiRoute[] {
  return [listRoute(parts), getRoute(parts), controlRoute(parts)];
}

function listRoute({ api }: RouteParts): ApiRoute {
  return {
    config: {
      method: 'get',
      path: '/v1/tools',
      operationId: 'listTools',
      tags: ['tools'],
      summary: 'List the tools with their health, metrics and settings, by name',
      request: { query: parameters(toolQuery) },
      responses: { 200: jsonAnswer(toolPage, 'A page of tools.'), ...refusals(400) },
    },
    answer: async (context) => {
      await api.catalog?.ready?.();
      return json(await inTurns(pageOf(readValid(context, 'query', toolQuery), context, api)));
    },
  };
}

function getRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'get',
      path: '/v1/tools/{name}',
      operationId: 'getTool',
      tags: ['tools'],
      summary: 'Get a tool',
      request: { params: parameters(toolParams) },
      responses: { 200: jsonAnswer(detailSchema, 'The tool.'), ...refusals(404, 503) },
    },
    answer: (context) =>
      withTool(context, parts, (tool) => found(seen(context, toolDetail(tool, parts.api, accessOfCaller(context.env.caller))))),
  };
}

function controlRoute(parts: RouteParts): ApiRoute {
  const { api, limits, redact } = parts;
  return {
    config: {
      method: 'post',
      path: '/v1/tools/{name}/circuit',
      operationId: 'controlCircuit',
      tags: ['tools'],
      summary: "Control a tool's circuit manually",
      description: 'Requires a token: one of `gateway.tokens`, or the operator token if there are none.',
      request: {
        params: parameters(toolParams),
        body: { required: true, content: { 'application/json': { schema: reference('CircuitRequest') } } },
      },
      responses: { 200: jsonAnswer(toolCircuit, 'The circuit after the command.'), ...refusals(400, 404, 413, 415, 422, 503) },
    },
    needs: 'operate',
    answer: async (context) => {
      const body = await readJson(context.req.raw, circuitRequest, limits);
      if (body.refusal) return refuse(body.refusal, redact);
      return withTool(context, parts, ({ name }) => {
        const refusal = unknownClient(name, body.value.client, api);
        if (refusal) return refuse(refusal, redact);
        const after = controlCircuit(name, body.value, api);
        if (after)
          api.past?.note({ kind: 'operator_action', tool_id: name, text: actionText(context.env.caller.principal, body.value, name) });
        return found(after);
      });
    },
  };
}

/** A tool may have gone since it was found. */
const found = (value: unknown): Response | undefined => (value === undefined ? undefined : json(value));

/** How much others use a tool, and tools that exist only for them, are not shown to those who see only their own. */
function seen<Item extends ToolItem>(context: ApiContext, item: Item | undefined): Item | undefined {
  const access = accessOfCaller(context.env.caller);
  if (item === undefined) return item;
  const shown = { ...item, settings: withoutHidden(item.settings, access) };
  if (seesAll(access)) return shown;
  const { metrics: _metrics, ...rest } = shown;
  return rest as Item;
}

function withoutHidden(settings: ToolItem['settings'], { allows, allowsAll }: Access): ToolItem['settings'] {
  const { alternatives, ...rest } = settings;
  if (allowsAll || !Array.isArray(alternatives)) return settings;
  const left = (alternatives as readonly string[]).filter(allows);
  return left.length === 0 ? rest : { ...rest, alternatives: left };
}

function* pageOf(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  context: ApiContext,
  api: ApiParts,
): Steps<ToolPage> {
  yield;
  const access = accessOfCaller(context.env.caller);
  const behind = api.service.tools
    .filter(({ name }) => access.allows(name))
    .filter(({ name }) => cursor === undefined || name > cursor)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const given = behind.slice(0, limit);
  const last = given.at(-1);
  const tools: ToolItem[] = [];
  for (const tool of given) {
    const item = seen(context, toolItem(tool, api, access));
    if (item) tools.push(item);
    yield;
  }
  return { tools, ...(last === undefined || given.length === behind.length ? {} : { next_cursor: last.name }) };
}

const actionsOn: Readonly<Record<CircuitCommand, (circuit: string) => string>> = {
  open: (circuit) => `opened ${circuit}`,
  close: (circuit) => `closed ${circuit}`,
  disable: (circuit) => `disabled ${circuit}`,
  shadow: (circuit) => `switched ${circuit} to shadow mode`,
  reset: (circuit) => `reset ${circuit}`,
  auto: (circuit) => `ended manual control of ${circuit}`,
};

const actionText = (by: string | undefined, { command, client }: CircuitRequest, tool: string): string =>
  `${by ?? 'An operator'} ${actionsOn[command](`the circuit of ${tool}${client === undefined ? '' : ` for ${client}`}`)}`;

const commands: Readonly<Record<CircuitCommand, readonly CoreCommand[]>> = {
  open: ['forced_open'],
  close: ['auto', 'reset'],
  disable: ['disabled'],
  shadow: ['shadow'],
  reset: ['reset'],
  auto: ['auto'],
};

function controlCircuit(name: string, { command, client }: CircuitRequest, { service }: ApiParts): ToolCircuit | undefined {
  for (const each of commands[command]) service.controlCircuit(name, each, client);
  const health = client === undefined ? wholeHealth(service, name) : service.getToolHealth(name, client);
  const settings = service.getToolSettings(name);
  if (health === undefined || settings === undefined) return undefined;
  return { name, ...(client === undefined ? {} : { client }), health: toolHealth(health, settings) };
}

/** A misspelt name must not look as if it had an effect: a client has a circuit once it has called the tool. */
function unknownClient(name: string, client: string | undefined, { service }: ApiParts): Refusal | undefined {
  const known = service.getToolHealth(name)?.partitions ?? [];
  if (client === undefined || known.includes(client)) return undefined;
  const near = suggest(client, known);
  const error = {
    code: 'UNKNOWN_CLIENT',
    message: `No circuit of ${name} belongs to a client '${client}'`,
    field: 'client',
    hint: 'A client has a circuit of its own at a server with isolation, once it has called the tool. Without client, the command is for all clients.',
    ...(near === undefined ? {} : { suggestion: near }),
  };
  return { status: 404, error };
}
