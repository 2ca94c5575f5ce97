/** Adding, changing and removing tools while a service runs. */
import { describe, expect, it } from 'vitest';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { memoryStore } from '../../../src/runtime/stores/memory-store.ts';
import type { ManualSystem } from '../../../src/testing/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import type { ToolDefinitionBase } from '../../../src/engine/tool/tool.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';

type Settings = Partial<ToolDefinitionBase<string, never>>;

const answering = (name: string, output: unknown, settings: Settings = {}) => defineTool({ name, run: () => output, ...settings });
const failing = (name: string, settings: Settings = {}) =>
  defineTool({ name, run: () => Promise.reject(Object.assign(new Error('down'), { code: 'ECONNREFUSED' })), ...settings });

interface Gated {
  readonly open: (value: unknown) => void;
  readonly tool: ReturnType<typeof answering>;
}

function gated(name: string, settings: Settings = {}): Gated {
  let open: (value: unknown) => void = () => undefined;
  const tool = defineTool({
    name,
    run: () =>
      new Promise((resolve) => {
        open = resolve;
      }),
    ...settings,
  });
  return { open: (value) => open(value), tool };
}

const scene = (tools: readonly ReturnType<typeof answering>[]) => {
  const system: ManualSystem = manualSystem();
  return { system, service: new ToolExecutionService({ system, tools }) };
};

describe('replaceTools', () => {
  it('a new tool can be called, a removed one is unknown', async () => {
    const { system, service } = scene([answering('old', 1)]);
    service.replaceTools([answering('new', 2)]);
    expect(service.tools.map(({ name }) => name)).toEqual(['new']);
    expect(await system.until(service.executeTool({ toolName: 'new' }))).toMatchObject({ status: 'success', output: 2 });
    expect(await system.until(service.executeTool({ toolName: 'old' }))).toMatchObject({ error: { message: 'Unknown tool: old' } });
    expect(service.getToolHealth('old')).toBeUndefined();
  });

  it('prepared tools are not offered before they replace others, and are as if they had not been prepared', async () => {
    const { system, service } = scene([failing('search'), answering('other', 1)]);
    await system.until(service.executeTool({ toolName: 'search' }));
    const [search, added] = [answering('search', 'fine', { timeoutMs: 7 }), answering('added', 2)];
    service.prepareTools([search]);
    service.prepareTools([added]);
    expect(service.tools.map(({ name }) => name)).toEqual(['search', 'other']);
    expect(service.getToolSettings('search')?.timeoutMs).not.toBe(7);
    service.replaceTools([search, added]);
    expect(service.getToolHealth('search')).toMatchObject({ circuit: 'open' });
    expect(service.getToolSettings('search')?.timeoutMs).toBe(7);
    expect(await system.until(service.executeTool({ toolName: 'added' }))).toMatchObject({ output: 2 });
  });

  it('tools that were prepared with another policy get the present one', () => {
    const { service } = scene([]);
    const tools = [answering('search', 1)];
    service.prepareTools(tools, { timeoutMs: 7 });
    service.replaceTools(tools, { timeoutMs: 8 });
    expect(service.getToolSettings('search')?.timeoutMs).toBe(8);
  });

  it('a tool that was changed and is changed back has its first settings again', () => {
    const { service } = scene([]);
    const [first, second] = [answering('search', 1, { timeoutMs: 7 }), answering('search', 1, { timeoutMs: 8 })];
    for (const tool of [first, second, first]) {
      service.prepareTools([tool]);
      service.replaceTools([tool]);
      expect(service.getToolSettings('search')?.timeoutMs).toBe(tool.policy.timeoutMs);
    }
  });

  it('what cannot be replaced cannot be prepared', () => {
    const { service } = scene([]);
    expect(() => service.prepareTools([{ name: 'search' } as never])).toThrow('must be created with defineTool()');
    expect(() => service.prepareTools([], { timeoutMs: -1 })).toThrow('prepareTools: policy');
    expect(() => service.replaceTools([undefined as never])).toThrow('must be created with defineTool()');
  });

  it('a kept tool keeps its circuit and takes its new settings', async () => {
    const { system, service } = scene([failing('search')]);
    await system.until(service.executeTool({ toolName: 'search' }));
    expect(service.getToolHealth('search')).toMatchObject({ circuit: 'open' });
    service.replaceTools([answering('search', 'fine', { timeoutMs: 7 })]);
    expect(service.getToolHealth('search')).toMatchObject({ circuit: 'open' });
    expect(service.getToolSettings('search')?.timeoutMs).toBe(7);
    expect(await system.until(service.executeTool({ toolName: 'search' }))).toMatchObject({ error: { code: 'CIRCUIT_OPEN' } });
    await system.advance(30_000);
    expect(await system.until(service.executeTool({ toolName: 'search' }))).toMatchObject({ output: 'fine' });
  });

  it('settings of all tools can change at the same time, and are kept otherwise', () => {
    const kept = answering('kept', 1);
    const own = answering('own', 1, { timeoutMs: 3 });
    const { service } = scene([kept, own]);
    const limits = () => ['kept', 'own'].map((name) => service.getToolSettings(name)?.timeoutMs);
    service.replaceTools([kept, own], { timeoutMs: 9 });
    expect(limits()).toEqual([9, 3]);
    service.replaceTools([kept, own]);
    expect(limits()).toEqual([9, 3]);
    expect(() => service.replaceTools([kept], { timeoutMs: -1 })).toThrow('timeoutMs');
  });

  it('keeps the circuit of a tool that is removed and added again', async () => {
    const { system, service } = scene([failing('search')]);
    await system.until(service.executeTool({ toolName: 'search' }));
    service.replaceTools([]);
    service.replaceTools([answering('search', 1)]);
    expect(service.getToolHealth('search')).toMatchObject({ circuit: 'open' });
  });

  it('running calls end as they started, whether their tool is changed or removed', async () => {
    const changes = gated('changes');
    const goes = gated('goes');
    const { system, service } = scene([changes.tool, goes.tool]);
    const results = Promise.all(['changes', 'goes'].map((toolName) => service.executeTool({ toolName })));
    await system.settle();
    service.replaceTools([answering('changes', 'new')]);
    changes.open('old 1');
    goes.open('old 2');
    expect((await system.until(results)).map(({ output }) => output)).toEqual(['old 1', 'old 2']);
  });

  it('a call that waits for a slot of a removed tool still runs', async () => {
    const slow = gated('slow', { concurrency: { limit: 1 } });
    const { system, service } = scene([slow.tool]);
    const first = service.executeTool({ toolName: 'slow' });
    const second = service.executeTool({ toolName: 'slow' });
    await system.settle();
    service.replaceTools([]);
    slow.open(1);
    expect(await system.until(first)).toMatchObject({ output: 1 });
    await system.settle();
    slow.open(2);
    expect(await system.until(second)).toMatchObject({ output: 2 });
  });

  it('a call between two attempts continues with the new tool', async () => {
    const { system, service } = scene([failing('search')]);
    const call = service.executeTool({ toolName: 'search' });
    await system.settle();
    service.replaceTools([answering('search', 'repaired')]);
    expect(await system.until(call)).toMatchObject({ output: 'repaired', attempts: 2 });
  });

  it('a higher limit admits waiting calls', async () => {
    const slow = gated('slow', { concurrency: { limit: 1 } });
    const { system, service } = scene([slow.tool]);
    const first = service.executeTool({ toolName: 'slow' });
    const second = service.executeTool({ toolName: 'slow' });
    await system.settle();
    service.replaceTools([answering('slow', 'at once', { concurrency: { limit: 2 } })]);
    expect(await system.until(second)).toMatchObject({ output: 'at once' });
    slow.open('late');
    expect(await system.until(first)).toMatchObject({ output: 'late' });
  });

  it('restored state waits for a tool that is added later', async () => {
    const store = memoryStore();
    const system = manualSystem();
    const before = new ToolExecutionService({ system, store, tools: [failing('search')] });
    await system.until(before.executeTool({ toolName: 'search' }));
    await system.until(before.close());
    const after = new ToolExecutionService({ system, store, tools: [] });
    await system.until(after.restore());
    after.replaceTools([answering('search', 1)]);
    expect(after.getToolHealth('search')).toMatchObject({ circuit: 'open' });
  });

  it.each([
    [[answering('one', 1), answering('one', 2)], "two tools are named 'one'"],
    [[{ name: 'plain' } as never], 'must be created with defineTool()'],
    ['tools' as never, 'must be an array of tools'],
  ])('refuses invalid tools, and changes nothing', async (tools, message) => {
    const { system, service } = scene([answering('kept', 1)]);
    expect(() => service.replaceTools(tools)).toThrow(message);
    expect(await system.until(service.executeTool({ toolName: 'kept' }))).toMatchObject({ output: 1 });
  });

  it('refuses invalid settings before anything has changed', () => {
    const { service } = scene([answering('a', 1), answering('b', 1)]);
    const odd = { ...answering('b', 2), policy: { concurrency: { limit: -1 } } };
    expect(() => service.replaceTools([answering('a', 2, { timeoutMs: 9 }), odd])).toThrow('limit');
    expect(service.getToolSettings('a')?.timeoutMs).toBe(30_000);
  });
});
