/**
 * Owns whose a task of a server is (tasks of 2025-11-25, and of the extension).
 *
 * Invariants
 * 1. While clients are kept apart, a task exists only for the client whose request created it.
 * 2. The number of remembered tasks is bounded; a forgotten task exists for no client.
 */
import { type ClientRequest, isJsonObject, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { accessOf } from '../access/access.ts';

export interface Tasks {
  /** Remembers the task that a result contains. */
  readonly note: (request: Pick<ClientRequest, 'client'>, result: JsonObject) => void;
  /** Throws an `RpcError` if the request is about a task of another client. */
  readonly check: (request: ClientRequest) => void;
  /** Removes the tasks of other clients from a list. */
  readonly ownOnly: (request: ClientRequest, result: JsonObject) => JsonObject;
}

const maxTasks = 20_000;

export function createTasks(): Tasks {
  const owners = new Map<string, string>();
  const isOwn = (owner: string | undefined, task: unknown): boolean => owner === undefined || owners.get(String(task)) === owner;
  return {
    note({ client }, { task, taskId }) {
      const { owner } = accessOf(client);
      const id = isJsonObject(task) ? task['taskId'] : taskId;
      if (owner === undefined || typeof id !== 'string' || owners.has(id)) return;
      owners.set(id, owner);
      const [oldest] = owners.keys();
      if (owners.size > maxTasks && oldest !== undefined) owners.delete(oldest);
    },
    check({ client, method, params }) {
      if (!method.startsWith('tasks/') || method === 'tasks/list') return;
      const { taskId } = params;
      if (!isOwn(accessOf(client).owner, taskId)) throw rpcError(rpcCodes.invalidParams, `Task not found: ${String(taskId).slice(0, 200)}`);
    },
    ownOnly({ client, method }, result) {
      const { owner } = accessOf(client);
      if (owner === undefined || method !== 'tasks/list' || !Array.isArray(result['tasks'])) return result;
      const tasks = (result['tasks'] as readonly unknown[]).filter((task) => isJsonObject(task) && isOwn(owner, task['taskId']));
      return { ...result, tasks };
    },
  };
}
