/** Owns a server, a worker and a client in the process of the test, with tools that record their runs. */
import { defineTool, ToolExecutionService, type AnyTool, type TurnPlan } from '@holdfast/core';
import { createTurnClient, createTurnWorker, type TurnClient, type TurnWorker, type WorkerLogEntry } from '@holdfast/durable';
import { startRestateServer, type RestateServer } from '@holdfast/durable/testing';
import { addressesOf } from './addresses.ts';

export interface Scene {
  readonly server: RestateServer;
  readonly service: ToolExecutionService;
  readonly worker: TurnWorker;
  readonly client: TurnClient;
  readonly logs: readonly WorkerLogEntry[];
  /** `turn call` for each run. */
  readonly ran: string[];
  /** The same for runs that hang. */
  readonly hanging: string[];
  stop(): Promise<void>;
}

const createTools = (ran: string[], hanging: string[]): readonly AnyTool[] => [
  defineTool({
    name: 'echo',
    run: (args: unknown, { callId, turnId }) => {
      ran.push(`${turnId} ${callId}`);
      return { callId, args };
    },
  }),
  defineTool({
    name: 'hang',
    run: (_args: unknown, { callId, turnId }) => {
      hanging.push(`${turnId} ${callId}`);
      return new Promise(() => undefined);
    },
  }),
  defineTool({
    name: 'throwing',
    run: () => {
      throw new Error('not today');
    },
  }),
  defineTool({ name: 'large', maxOutputChars: 20_000_000, run: ({ size }: { readonly size: number }) => 'x'.repeat(size) }),
  defineTool({ name: 'odd', run: () => ({ big: 10n, gone: undefined, when: new Date(0), by: new Map([[1, 2]]) }) }),
];

export const startScene = async (): Promise<Scene> => {
  const ran: string[] = [];
  const hanging: string[] = [];
  const logs: WorkerLogEntry[] = [];
  const server = await startRestateServer();
  const service = new ToolExecutionService({ tools: createTools(ran, hanging), policy: { breaker: false } });
  const worker = await createTurnWorker({
    service,
    register: { adminUrl: server.adminUrl },
    onLog: (entry) => logs.push(entry),
    drainMs: 0,
  });
  return {
    server,
    service,
    worker,
    client: createTurnClient(addressesOf(server)),
    logs,
    ran,
    hanging,
    stop: async () => {
      await worker.close();
      await service.close();
      await server.stop();
    },
  };
};

export const echo = (turnId: string): TurnPlan => ({ turnId, calls: [{ callId: 'A', toolName: 'echo', arguments: { x: 1 } }] });

export const echoAndHang = (turnId: string): TurnPlan => ({
  turnId,
  calls: [
    { callId: 'A', toolName: 'echo' },
    { callId: 'H', toolName: 'hang' },
  ],
});
