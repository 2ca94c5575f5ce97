/** Owns the list of a document's operations: names, servers, parameters. */
import type { Effect } from '@holdfast/core';
import { isRecord } from '@holdfast/core/internal/plain';
import type { OpenapiDocument, Plain } from './document.ts';
import { follow } from './reference.ts';

/** HTTP methods of operations that become tools. */
export type OperationMethod = 'GET' | 'HEAD' | 'OPTIONS' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

export interface Operation {
  /** Its id in the document; without one, its name. */
  readonly id: string;
  /** Letters, digits, `_` and `-`; unique in the document. */
  readonly name: string;
  readonly method: OperationMethod;
  readonly path: string;
  readonly about: Plain;
  /** Parameters of the operation and of its path; the operation's override. */
  readonly parameters: readonly Plain[];
  readonly body: Plain | undefined;
  readonly servers: readonly unknown[];
  readonly security: readonly unknown[];
  /** Problems of the operation. */
  readonly flaw?: string;
}

const methods: readonly OperationMethod[] = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'PATCH', 'DELETE'];

/** Effect by method. POST and PATCH may not be idempotent, so they count as unsafe. */
export function effectOf(method: OperationMethod): Effect {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return 'read';
  return method === 'PUT' || method === 'DELETE' ? 'idempotent' : 'unsafe';
}

/** In the document's order. */
export function* operationsOf({ root }: OpenapiDocument): Generator<Operation> {
  const ids = new Set<string>();
  const names = new Set<string>();
  const paths = isRecord(root['paths']) ? root['paths'] : {};
  for (const [path, given] of Object.entries(paths)) {
    const item = follow(root, given);
    if (item === undefined || !path.startsWith('/')) continue;
    for (const method of methods) {
      const about = follow(root, item[method.toLowerCase()]);
      if (about === undefined) continue;
      const declaredId = typeof about['operationId'] === 'string' ? about['operationId'].trim() : '';
      const name = unique(cleanName(declaredId) || cleanName(`${method.toLowerCase()}${path}`), names);
      const id = declaredId === '' || ids.has(declaredId) ? name : declaredId;
      ids.add(id);
      yield { id, name, method, path, about, ...partsOf(root, item, about) };
    }
  }
}

function partsOf(root: Plain, item: Plain, about: Plain): Pick<Operation, 'parameters' | 'body' | 'servers' | 'security' | 'flaw'> {
  const parameters = new Map<string, Plain>();
  let flaw: string | undefined;
  for (const given of [...listOf(item['parameters']), ...listOf(about['parameters'])]) {
    const parameter = follow(root, given);
    if (typeof parameter?.['name'] !== 'string' || typeof parameter['in'] !== 'string')
      flaw ??= 'a parameter is invalid, or its reference does not resolve';
    else parameters.set(`${parameter['in']} ${parameter['name']}`, parameter);
  }
  const body = about['requestBody'] === undefined ? undefined : follow(root, about['requestBody']);
  if (about['requestBody'] !== undefined && body === undefined) flaw ??= 'its body is invalid, or its reference does not resolve';
  const security = about['security'] ?? root['security'];
  return {
    parameters: [...parameters.values()],
    body,
    servers: [about['servers'], item['servers'], root['servers']].map(listOf).find((servers) => servers.length > 0) ?? [],
    security: listOf(security),
    ...(flaw === undefined ? {} : { flaw }),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** `repos/get-content` → `repos_get-content`. */
const cleanName = (text: string): string =>
  text
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^_+|_+$/g, '');

function unique(wished: string, taken: Set<string>): string {
  let name = wished;
  for (let number = 2; taken.has(name); number++) name = `${wished}_${number}`;
  taken.add(name);
  return name;
}
