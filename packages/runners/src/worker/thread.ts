/**
 * Runs inside the worker thread: loads the tool once, then runs one call at a time.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { errorToData } from './error-data.ts';
import type { WorkerReply, WorkerRequest, WorkerStart, WorkerToolContext } from './protocol.ts';

type WorkerTool = (args: unknown, context: WorkerToolContext) => unknown;

function reply(message: WorkerReply): void {
  parentPort?.postMessage(message);
}

function contextOf({ id, attempt }: WorkerRequest): WorkerToolContext {
  return {
    ...attempt,
    reportProgress: (progress) => reply({ type: 'progress', id, progress }),
    reportPartial: (output) => reply({ type: 'partial', id, output }),
  };
}

async function answer(tool: WorkerTool, request: WorkerRequest): Promise<void> {
  const { id } = request;
  let output: unknown;
  try {
    output = await tool(request.args, contextOf(request));
  } catch (error) {
    reply({ type: 'error', id, error: errorToData(error) });
    return;
  }
  try {
    reply({ type: 'result', id, output });
  } catch (error) {
    reply({ type: 'not_cloneable', id, reason: String(error) });
  }
}

async function loadTool({ module, exportName }: WorkerStart): Promise<WorkerTool> {
  const exports = (await import(module)) as Readonly<Record<string, unknown>>;
  const tool = exports[exportName];
  if (typeof tool === 'function') return tool as WorkerTool;
  throw new TypeError(`${module} exports no function '${exportName}'. It exports: ${Object.keys(exports).join(', ') || 'nothing'}`);
}

try {
  const tool = await loadTool(workerData as WorkerStart);
  parentPort?.on('message', (request: WorkerRequest) => void answer(tool, request));
  reply({ type: 'ready' });
} catch (error) {
  reply({ type: 'start_failed', error: errorToData(error) });
}
