/** Names of tools in manual control and metrics: one that never existed is refused, one that was removed is not. */
import { describe, expect, it } from 'vitest';
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';

const tool = (name: string): ReturnType<typeof defineTool> => defineTool({ name, run: () => 1 });
const tools = [tool('search'), tool('book_hotel')];

const uses: readonly (readonly [name: string, use: (service: ToolExecutionService, tool: never) => unknown])[] = [
  ['resetCircuitBreaker', (service, name) => service.resetCircuitBreaker(name)],
  ['controlCircuit', (service, name) => service.controlCircuit(name, 'forced_open')],
  ['getToolMetrics', (service, name) => service.getToolMetrics(name)],
];

describe.each(uses)('%s', (where, use) => {
  const service = (): ToolExecutionService => new ToolExecutionService({ tools, system: manualSystem() });

  it('refuses a tool that never existed', () => {
    expect(() => use(service(), 'book-hotel' as never)).toThrow(
      new RangeError(`${where} names 'book-hotel', but there is no such tool. Did you mean 'book_hotel'?`),
    );
    expect(() => use(service(), 'forced_open' as never)).toThrow('Known: search, book_hotel.');
  });

  it('refuses what is no name', () => {
    expect(() => use(service(), { toolName: 'search' } as never)).toThrow(
      new TypeError(`${where}: toolName must be of type string, got an object.`),
    );
  });

  it('leaves a removed tool as it is', () => {
    const changed = service();
    changed.replaceTools([tool('search')]);
    expect(() => use(changed, 'book_hotel' as never)).not.toThrow();
  });
});
