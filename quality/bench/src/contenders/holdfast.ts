import type { ToolPolicy, ToolResult } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { defineTool, memoryStore, ToolExecutionService } from '@holdfast/core';
import type { Contender, Job, ProtectedJob } from './contender.ts';
import { failing, openMs } from './contender.ts';

const toolName = 'work';

const withStore = (makeStore: () => Store | undefined): Pick<Contender, 'protect' | 'open' | 'retries' | 'outputOf' | 'isRefusal'> => ({
  retries: true,
  protect: (job) => callsOf(serviceOf(job, {}, makeStore()), job),
  async open() {
    const job: Job = { run: failing, retriesAtOnce: 4 };
    const service = serviceOf(job, { breaker: { openMs } }, makeStore());
    const { call, close } = callsOf(service, job);
    await call();
    if (service.getToolHealth(toolName)?.circuit !== 'open') throw new Error('Five failures did not open the circuit.');
    return { call, ...(close && { close }) };
  },
  outputOf: (answer) => (answer as ToolResult).output,
  isRefusal: (answer) => (answer as ToolResult).error?.code === 'CIRCUIT_OPEN',
});

export const holdfast: Contender = {
  name: 'Holdfast',
  configuration: '`new ToolExecutionService({ tools })`, `.executeTool()`; retry, breaker, timeout, classification, trace, metrics',
  ...withStore(() => undefined),
};

export const holdfastKeeping: Contender = {
  name: 'Holdfast, memory store',
  configuration: 'the same, and every event of every call kept in a `memoryStore()`',
  ...withStore(() => memoryStore()),
};

function serviceOf({ run, input, retriesAtOnce }: Job, policy: ToolPolicy, store: Store | undefined): ToolExecutionService {
  const retry =
    retriesAtOnce === undefined
      ? {}
      : { retry: { strategy: 'constant_backoff', initialDelayMs: 0, maxAttempts: retriesAtOnce + 1 } as const };
  const definition = { name: toolName, ...policy, ...retry };
  const tool =
    input === undefined ? defineTool({ ...definition, run }) : defineTool({ ...definition, input, run: (args: unknown) => run(args) });
  return new ToolExecutionService({ tools: [tool], ...(store && { store }) });
}

function callsOf(service: ToolExecutionService, { arguments: args = {} }: Job): ProtectedJob {
  return {
    call: () => service.executeTool({ toolName, arguments: args }),
    close: () => service.close(),
  };
}
