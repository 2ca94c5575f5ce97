/**
 * Creates a tool for each operation of an HTTP API.
 *
 * Invariants
 * 1. An operation that cannot become a tool is reported and left out; the others work.
 * 2. Credentials are sent only to the hosts of the options, or to the host of the document's first server; operations of other hosts are left out.
 * 3. The tools share connections, which the last `close` ends.
 */
import { truncate } from '@holdfast/core/internal/plain';
import type { Effect, JsonSchema } from '@holdfast/core';
import { type Connections, connections } from '../http/connections.ts';
import { requestRunner } from '../http/request-runner.ts';
import type { LoadableRunner } from '../load.ts';
import { messageOf } from '../runner-error.ts';
import { buildRequest } from './build-request.ts';
import { type OpenapiDocument, type Plain, readDocument } from './document.ts';
import { inputOf, outputOf } from './input.ts';
import { effectOf, type Operation, type OperationMethod, operationsOf } from './operations.ts';
import { type OpenapiOptions, type OpenapiSettings, openapiSettings } from './options.ts';
import { baseUrlOf, hostsOf, missingCredentials, sentNames } from './servers.ts';

/** One operation of an API. */
export interface OpenapiTool {
  /** Letters, digits, `_` and `-`; unique in the document. */
  readonly name: string;
  /** The operation's id in the document; without one, `name`. */
  readonly operation: string;
  /** HTTP method of the operation. */
  readonly method: OperationMethod;
  /** Path of the operation as in the document, such as `/pets/{id}`. */
  readonly path: string;
  /** Summary and description of the operation. */
  readonly description?: string;
  /** One object with the parameters and the properties of the body. */
  readonly input: JsonSchema;
  /** With `outputSchemas`, if the document has one. */
  readonly output?: JsonSchema;
  /** GET, HEAD, OPTIONS: `read`; PUT, DELETE: `idempotent`; POST, PATCH: `unsafe`. */
  readonly effect: Effect;
  /** Runs the operation like `httpRunner`. */
  readonly run: LoadableRunner;
}

/**
 * Reads an OpenAPI document (3.0 or 3.1) and creates a tool for each operation. Tools reject like those of `httpRunner`.
 * @throws TypeError for an invalid option; an error with code `OPENAPI_DOCUMENT` when the document is not usable
 */
export async function openapiTools(options: OpenapiOptions): Promise<readonly OpenapiTool[]> {
  const settings = openapiSettings(options);
  const document = await readDocument(settings.spec, settings.maxSpecBytes);
  const shared = { connections: connections(settings), hosts: hostsOf(document, settings) };
  const tools: OpenapiTool[] = [];
  const missing = new Map<string, number>();
  for (const operation of operationsOf(document)) {
    if (!settings.isWanted(operation.id)) continue;
    if (tools.length === settings.maxOperations) {
      settings.onProblem({ message: `it has more than ${settings.maxOperations} operations: the others are left out` });
      break;
    }
    try {
      tools.push(toolOf(document, operation, settings, shared));
      const credentials = missingCredentials(document, operation, sentNames(settings));
      if (credentials !== undefined) missing.set(credentials, (missing.get(credentials) ?? 0) + 1);
    } catch (error) {
      settings.onProblem({ operation: operation.id, message: messageOf(error) });
    }
  }
  for (const [credentials, count] of missing)
    settings.onProblem({
      message: `${count} operation${count === 1 ? ' needs' : 's need'} credentials that are not in headers: ${credentials}`,
    });
  if (tools.length === 0) settings.onProblem({ message: 'it has no operation that can become a tool' });
  return tools;
}

/** What the tools of one document share. */
interface Shared {
  readonly connections: Connections;
  readonly hosts: readonly string[] | undefined;
}

function toolOf(document: OpenapiDocument, operation: Operation, settings: OpenapiSettings, shared: Shared): OpenapiTool {
  if (operation.flaw !== undefined) throw new TypeError(operation.flaw);
  const baseUrl = baseUrlOf(operation, settings, shared.hosts);
  const input = inputOf(document, operation, sentNames(settings));
  checkPath(operation, input.parameters);
  const output = settings.outputSchemas ? outputOf(document, operation) : undefined;
  const description = descriptionOf(operation.about);
  const { name, method, path } = operation;
  const run = requestRunner({
    owner: `${name} of ${settings.name}`,
    settings: {
      response: 'auto',
      successStatus: undefined,
      allowedHosts: shared.hosts ?? [baseUrl.host],
      maxRedirects: settings.maxRedirects,
      maxResponseBytes: settings.maxResponseBytes,
    },
    connections: shared.connections,
    build: (args, context) => buildRequest({ operation, input, baseUrl, settings }, args, context),
  });
  return {
    name,
    operation: operation.id,
    method,
    path,
    ...(description === undefined ? {} : { description }),
    input: input.schema,
    ...(output === undefined ? {} : { output }),
    effect: effectOf(method),
    run,
  };
}

function checkPath({ path }: Operation, parameters: readonly { readonly place: string; readonly name: string }[]): void {
  for (const [, name] of path.matchAll(/\{([^{}]*)\}/g))
    if (!parameters.some((each) => each.place === 'path' && each.name === name))
      throw new TypeError(`its path has {${name}}, but no parameter has this name`);
}

const maxDescriptionLength = 2000;

function descriptionOf(about: Plain): string | undefined {
  const texts = [about['summary'], about['description']].filter((text) => typeof text === 'string').map((text) => text.trim());
  const [summary, description] = texts;
  const shown = texts.filter((text, index) => text !== '' && !(index === 0 && description?.startsWith(summary ?? '') === true));
  const complete = [...(about['deprecated'] === true ? ['Deprecated.'] : []), ...shown].join('\n\n');
  return complete === '' ? undefined : truncate(complete, maxDescriptionLength);
}
