/**
 * Owns whose a task of a server is (tasks of 2025-11-25, and of the extension).
 *
 * Invariants
 * 1. While clients are kept apart, a task exists only for the client whose request created it.
 * 2. The number of remembered tasks is bounded; a forgotten task exists for no client. No client makes the gateway forget those of one with fewer.
 * 3. A call names no task of another client, and creates none where tasks are not relayed.
 */
import { type ClientRequest, type ConnectedClient, isJsonObject, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { accessOf } from '../access/access.ts';
import { withParams } from '../calls/with-params.ts';
import { SharedSpace } from '../plain/shared-space.ts';

export interface Tasks {
  /** Remembers the task that a result contains. */
  readonly note: (request: Pick<ClientRequest, 'client'>, result: JsonObject) => void;
  /** Throws an `RpcError` if the request is about a task of another client. */
  readonly check: (request: ClientRequest) => void;
  /** Returns a call without references to tasks that do not exist for its client. */
  readonly ofCall: (request: ClientRequest) => ClientRequest;
  /** Removes the tasks of other clients from a list. */
  readonly ownOnly: (request: ClientRequest, result: JsonObject) => JsonObject;
}

const maxTasks = 20_000;
const relatedTask = 'io.modelcontextprotocol/related-task';

/** `relayed`: whether requests about tasks reach the server, so that the gateway declares them. */
export function createTasks(relayed: (client: ConnectedClient) => boolean): Tasks {
  const owners = new SharedSpace<string>();
  const isOwn = (owner: string | undefined, task: unknown): boolean => owner === undefined || owners.get(String(task)) === owner;
  return {
    note({ client }, { task, taskId }) {
      const { owner } = accessOf(client);
      const id = isJsonObject(task) ? task['taskId'] : taskId;
      if (owner === undefined || typeof id !== 'string' || owners.get(id) !== undefined) return;
      owners.put(id, { owner, size: 1, value: owner }, maxTasks);
    },
    check({ client, method, params }) {
      if (!method.startsWith('tasks/') || method === 'tasks/list') return;
      const { taskId } = params;
      if (!isOwn(accessOf(client).owner, taskId)) throw rpcError(rpcCodes.invalidParams, `Task not found: ${String(taskId).slice(0, 200)}`);
    },
    ofCall(request) {
      const { client, params } = request;
      const { task, _meta: meta, ...others } = params;
      const related = isJsonObject(meta) ? meta[relatedTask] : undefined;
      if (task === undefined && related === undefined) return request;
      const isRelayed = relayed(client);
      const mayRelate = related === undefined || (isRelayed && isJsonObject(related) && isOwn(accessOf(client).owner, related['taskId']));
      if (isRelayed && mayRelate) return request;
      const kept =
        mayRelate || !isJsonObject(meta) ? meta : Object.fromEntries(Object.entries(meta).filter(([key]) => key !== relatedTask));
      return withParams(request, { ...(isRelayed ? params : others), ...(kept === undefined ? {} : { _meta: kept }) });
    },
    ownOnly({ client, method }, result) {
      const { owner } = accessOf(client);
      if (owner === undefined || method !== 'tasks/list' || !Array.isArray(result['tasks'])) return result;
      const tasks = (result['tasks'] as readonly unknown[]).filter((task) => isJsonObject(task) && isOwn(owner, task['taskId']));
      return { ...result, tasks };
    },
  };
}
