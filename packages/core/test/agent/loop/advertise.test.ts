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

  it('have a note about an open circuit, the wait and the alternatives', async () => {
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
      description: 'Searches.\n\nCurrently unavailable: it is failing. Do not call it for 20s. Use backup instead.',
    });
    expect(offered[1]).toBe(other);
    expect(original.description).toBe('Searches.');
    expect(run.availability('failing')).toMatchObject({ available: false, retryAfterMs: 20_000, alternatives: ['backup'] });

    await system.advance(20_000);
    expect(run.availability('failing')).toEqual({ available: true, alternatives: ['backup'] });
  });

  it('leave out tools with an open circuit, with `remove`', () => {
    const { run, service } = runBench([main, backup], { openCircuits: 'remove' });
    service.controlCircuit('main', 'forced_open');
    expect(run.advertise([main, backup])).toEqual([backup]);
    service.controlCircuit('backup', 'forced_open');
    expect(run.availability('main').alternatives).toEqual([]);
  });
});
