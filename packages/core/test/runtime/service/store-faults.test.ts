import { expect, it } from 'vitest';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { hostileStores } from '../../support/hostile-hooks.ts';

it.each(Object.keys(hostileStores))('a store that %s is called a bounded number of times for one call', async (name) => {
  const store = (hostileStores[name] as (typeof hostileStores)[string])();
  let appends = 0;
  const counted = {
    ...store,
    append: (events: never): unknown => {
      appends += 1;
      // In an endless loop this would never return: only microtasks would run.
      return appends > 50 ? undefined : store.append(events);
    },
  };
  const service = new ToolExecutionService({
    system: manualSystem(),
    store: counted as typeof store,
    tools: [defineTool({ name: 'fine', run: () => 1 })],
  });
  expect(await service.executeTool({ toolName: 'fine' })).toMatchObject({ status: 'success' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(appends).toBeLessThan(10);
});
