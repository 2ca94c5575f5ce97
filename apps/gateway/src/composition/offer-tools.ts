/**
 * Owns passing the offered tools to the service and its metrics.
 *
 * Invariants
 * 1. A tool that has not changed keeps its place in the service, unless the defaults of the manifest have changed.
 * 2. Thousands of new tools are passed in slices: the service has some of them before the list is complete.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AnyTool, ToolExecutionService, ToolPolicy } from '@holdfast/core';
import type { Metrics } from '@holdfast/core/metrics';
import { Pauses } from '@holdfast/mcp-wire/client';

export interface Offering {
  /** Resolves when the service has exactly these tools. */
  readonly offer: (tools: readonly AnyTool[], defaults: ToolPolicy) => Promise<void>;
  /** Adds circuits that were restored as open to the metrics, since no event reports them. */
  readonly noteCircuits: () => Promise<void>;
}

/** New tools that are passed at once. With each slice, the service looks at all of its tools: of many, there are few slices. */
const minSlice = 250;
const maxSlices = 40;

type Service = Pick<ToolExecutionService, 'replaceTools' | 'tools' | 'getToolHealth'>;

export function createOffering(service: Service, metrics: Pick<Metrics, 'setTools' | 'setCircuit'>): Offering {
  let policy: ToolPolicy | undefined;
  const noteCircuits = async (): Promise<void> => {
    const pauses = new Pauses();
    for (const { name } of service.tools) {
      if (pauses.isDue) await pauses.pause();
      const circuit = service.getToolHealth(name)?.circuit;
      if (circuit && circuit !== 'closed') metrics.setCircuit(name, circuit);
    }
  };
  return {
    async offer(tools, defaults) {
      const isSamePolicy = policy !== undefined && isDeepStrictEqual(policy, defaults);
      if (isSamePolicy && isSame(service.tools, tools)) return;
      policy = isSamePolicy ? policy : defaults;
      await passInSlices(service, tools, policy);
      metrics.setTools(tools.map(({ name }) => name));
      await noteCircuits();
    },
    noteCircuits,
  };
}

async function passInSlices(service: Service, tools: readonly AnyTool[], policy: ToolPolicy | undefined): Promise<void> {
  const pauses = new Pauses();
  const passed = new Map(service.tools.map((tool) => [tool.name, tool]));
  const slice = Math.max(minSlice, Math.ceil(tools.length / maxSlices));
  let fresh = 0;
  for (const tool of tools) {
    if (passed.get(tool.name) === tool) continue;
    if (fresh === slice) {
      service.replaceTools([...passed.values()], policy);
      fresh = 0;
      await pauses.pause();
    }
    passed.set(tool.name, tool);
    fresh += 1;
  }
  service.replaceTools(tools, policy);
}

const isSame = (some: readonly AnyTool[], others: readonly AnyTool[]): boolean =>
  some.length === others.length && some.every((tool, place) => tool === others[place]);
