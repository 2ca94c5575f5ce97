/** An error handler that is handed in: its rules, memory and advisor count, and nothing of the service's own is dropped in silence. */
import { describe, expect, it } from 'vitest';
import { createEpisodicMemory, defineTool, ErrorHandler, ToolExecutionService } from '../../../src/index.ts';
import type { ToolExecutionServiceOptions } from '../../../src/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';

const down = defineTool({ name: 'search', run: () => Promise.reject(Object.assign(new Error('down'), { status: 503 })) });
const create = (options: Partial<ToolExecutionServiceOptions>): ToolExecutionService =>
  new ToolExecutionService({ tools: [down], system: manualSystem(), seed: 'handler', ...options });

describe('an error handler that is handed in', () => {
  it.each<readonly [Partial<ToolExecutionServiceOptions>, string]>([
    [
      { recoveryRules: [{ name: 'never', deny: 'retry' }] },
      'recoveryRules cannot be combined with errorHandler. Give it to the handler: new ErrorHandler({ recoveryRules }).',
    ],
    [{ advisor: () => undefined }, 'advisor cannot be combined with errorHandler.'],
    [{ advisorTimeoutMs: 5 }, 'advisorTimeoutMs cannot be combined with errorHandler.'],
    [{ useMemory: true }, 'useMemory cannot be combined with errorHandler. Give it to the handler: new ErrorHandler({ memory }).'],
  ])('is not combined with %j', (options, message) => {
    expect(() => create({ ...options, errorHandler: new ErrorHandler() })).toThrow(`ToolExecutionService.${message}`);
  });

  it('has rules for tools that exist', () => {
    const errorHandler = new ErrorHandler({ recoveryRules: [{ name: 'never', when: { tool: 'serach' }, deny: 'retry' }] });
    expect(() => create({ errorHandler })).toThrow(
      "ToolExecutionService.errorHandler.recoveryRules[0].when.tool names 'serach', but there is no such tool. Did you mean 'search'?",
    );
  });

  it('is something that decides', () => {
    expect(() => create({ errorHandler: {} as never })).toThrow('ToolExecutionService.errorHandler.handle must be of type function');
  });

  it('decides with its own memory and advisor, for every service that shares it', async () => {
    const memory = createEpisodicMemory();
    const asked: string[] = [];
    const errorHandler = new ErrorHandler({ memory, advisor: ({ callId }) => void asked.push(callId) as undefined });
    const system = manualSystem();
    const policy = { breaker: false } as const;
    const services = ['one', 'two'].map((seed) => create({ system, seed, policy, errorHandler }));
    for (const service of services) service.subscribe((event) => memory.observe(event));
    for (let call = 0; call < 6; call += 1)
      for (const service of services) await system.until(service.executeTool({ toolName: 'search', callId: `c${call}` }));
    const { attempts } = await system.until(create({ system, policy, errorHandler }).executeTool({ toolName: 'search' }));
    expect(attempts).toBe(1);
    expect(asked.length).toBeGreaterThan(12);
    expect(errorHandler.inbox).toHaveLength(asked.length);
  });
});

describe('an error handler that misbehaves costs nothing but itself', () => {
  const lost = defineTool({ name: 'pay', run: () => Promise.reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })) });
  class Throwing extends ErrorHandler {
    override handle(): never {
      throw new Error('handler bug');
    }
  }
  class Silent extends ErrorHandler {
    override handle(): never {
      return null as never;
    }
  }

  it.each<readonly [string, ErrorHandler]>([
    ['throws', new Throwing()],
    ['answers nothing', new Silent()],
    ['has a memory that answers later', new ErrorHandler({ memory: { recall: () => Promise.resolve([]) as never } })],
    ['has a memory that answers no list', new ErrorHandler({ memory: { recall: () => 5 as never } })],
  ])('%s', async (_how, errorHandler) => {
    const system = manualSystem();
    const service = new ToolExecutionService({ tools: [lost], profile: 'adaptive', system, seed: 'handler', errorHandler });
    const { status, attempts, error } = await system.until(service.executeTool({ toolName: 'pay' }));
    expect({ status, attempts, ambiguous: error?.ambiguous, code: error?.code }).toEqual({
      status: 'error',
      attempts: 1,
      ambiguous: true,
      code: 'NETWORK_ERROR',
    });
  });

  it('keeps what its rules forbid', async () => {
    const system = manualSystem();
    const errorHandler = new Throwing({ recoveryRules: [{ name: 'never', deny: 'retry' }] });
    const { attempts } = await system.until(create({ system, errorHandler }).executeTool({ toolName: 'search' }));
    expect(attempts).toBe(1);
  });
});
