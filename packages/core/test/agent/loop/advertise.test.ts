import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { runBench } from './support.ts';

const main = defineTool({ name: 'main', description: 'Searches.', alternatives: ['backup', 'nonesuch'], run: () => 1 });
const backup = defineTool({ name: 'backup', run: () => 1 });

describe('offered tools', () => {
  it('are the same objects in the same list while no circuit is open, and with `as_is`', () => {
    const { run } = runBench([main, backup]);
    const tools = [main, backup, { name: 'elsewhere' }];
    expect(run.advertise(tools)).toBe(tools);

    const asIs = runBench([main], { openCircuits: 'as_is' });
    asIs.service.controlCircuit('main', 'forced_open');
    expect(asIs.run.advertise(tools)).toBe(tools);
  });

  it('have a note about an open circuit and the alternatives, the same for as long as it is open', async () => {
    const failing = defineTool({
      name: 'failing',
      alternatives: ['backup'],
      retry: { initialDelayMs: 0, maxDelayMs: 0 },
      run: () => {
        throw Object.assign(new Error('down'), { status: 503 });
      },
    });
    const { run, system, service } = runBench([failing, backup]);
    service.controlCircuit('backup', 'reset');
    await system.until(service.executeTool({ toolName: 'failing' }));
    await system.advance(10_000);
    const original = { name: 'failing', description: 'Searches.', own: 1 };
    const other = { name: 'backup' };
    const offered = run.advertise([original, other]);
    expect(offered[0]).toEqual({
      name: 'failing',
      own: 1,
      description: 'Searches.\n\nCurrently unavailable: it is failing. Use backup instead.',
    });
    await system.advance(3_000);
    expect(run.advertise([original, other])).toEqual(offered);
    expect(offered[1]).toBe(other);
    expect(original.description).toBe('Searches.');
    expect(run.availability('failing')).toMatchObject({ available: false, retryAfterMs: 17_000, alternatives: ['backup'] });
    expect(run.availability('failing').note).toContain('Do not call it for 17s.');

    await system.advance(17_000);
    expect(run.availability('failing')).toEqual({ available: true, alternatives: ['backup'] });
  });

  it('are as they are where calls wait for recovery instead of being refused, unless an operator keeps the circuit open', async () => {
    const failing = defineTool({
      name: 'failing',
      waitForRecovery: { maxWaitMs: 50 },
      retry: { maxAttempts: 1 },
      breaker: { failureThreshold: 1 },
      run: () => {
        throw Object.assign(new Error('down'), { status: 503 });
      },
    });
    const { run, system, service } = runBench([failing]);
    await system.until(service.executeTool({ toolName: 'failing' }));
    const tools = [{ name: 'failing', description: 'Fails.' }];
    if (service.getToolHealth('failing')?.circuit !== 'open') throw new Error('the circuit is not open');
    expect(run.advertise(tools)).toBe(tools);
    service.controlCircuit('failing', 'forced_open');
    expect(run.advertise(tools)[0]?.description).toBe('Fails.\n\nCurrently unavailable: it is failing.');
  });

  it('leave out tools with an open circuit, with `remove`', () => {
    const { run, service } = runBench([main, backup], { openCircuits: 'remove' });
    service.controlCircuit('main', 'forced_open');
    expect(run.advertise([main, backup])).toEqual([backup]);
    service.controlCircuit('backup', 'forced_open');
    expect(run.availability('main').alternatives).toEqual([]);
  });
});
