/** S0 6.2: what policies (Consciousness) and episodic memory do to decisions, in a service. */
import type { RecoveryRule, ToolResult } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import type { Step } from './support/scripted-tool.ts';
import { fails, scriptedTool, succeeds } from './support/scripted-tool.ts';
import type { StageOptions } from './support/stage-options.ts';
import { stage } from './support/stage.ts';

const reset = fails('Connection reset');
const limited = fails('Rate limit exceeded');

/** flight_search with a script and an alternative, and hotel_search that is reset once. */
function scene(steps: readonly Step[], options: StageOptions, backupSteps: readonly Step[] = [succeeds('from the backup')]) {
  const clock = manualSystem();
  const policy = { breaker: false, retry: { maxAttempts: 2 } } as const;
  const flights = scriptedTool(clock, 'flight_search', steps, { ...policy, alternatives: ['flight_search_backup'] });
  const backup = scriptedTool(clock, 'flight_search_backup', backupSteps, policy);
  const hotels = scriptedTool(clock, 'hotel_search', [reset, succeeds('Ritz')], policy);
  const staged = stage(clock, [flights, backup, hotels], options);
  const call = (toolName: string): Promise<ToolResult> => clock.until(staged.service.executeTool({ toolName }));
  return { ...staged, flights, backup, hotels, call };
}

describe('error handling policies', () => {
  const under = (rule: Omit<RecoveryRule, 'name'>): StageOptions => ({ recoveryRules: [{ name: 'policy', ...rule }] });

  test('apply to their tool only', { tags: ['S0-6.2'] }, async () => {
    const { call, flights, hotels } = scene([reset, succeeds()], under({ when: { tool: 'flight_search' }, deny: 'retry' }));
    expect(await call('flight_search')).toMatchObject({ servedBy: 'flight_search_backup' });
    expect(await call('hotel_search')).toMatchObject({ status: 'success', output: 'Ritz', attempts: 2 });
    expect([flights.starts.length, hotels.starts.length]).toEqual([1, 2]);
  });

  test('apply to their category, class, effect and turn only', { tags: ['S0-6.2'] }, async () => {
    const category = scene([reset, succeeds('found')], under({ when: { category: 'rate_limit' }, deny: 'retry' }));
    expect(await category.call('flight_search')).toMatchObject({ servedBy: 'flight_search', output: 'found' });
    const same = scene([limited, succeeds('found')], under({ when: { category: 'rate_limit' }, deny: 'retry' }));
    expect(await same.call('flight_search')).toMatchObject({ servedBy: 'flight_search_backup' });
    for (const when of [{ classification: 'permanent' }, { effect: 'unsafe' }, { turn: 'another' }] as const) {
      const other = scene([reset, succeeds('found')], under({ when, deny: 'retry' }));
      expect(await other.call('flight_search'), JSON.stringify(when)).toMatchObject({ output: 'found' });
    }
  });

  test('may prefer a strategy: the alternative before any retry', { tags: ['S0-6.2'] }, async () => {
    const { call, flights, of } = scene([reset, succeeds()], under({ prefer: 'use_alternative' }));
    expect(await call('flight_search')).toMatchObject({ status: 'success', servedBy: 'flight_search_backup', attempts: 2 });
    expect(flights.starts).toHaveLength(1);
    expect(of('RecoveryDecided')[0]?.message).toMatch(/^Rule 'policy' prefers use_alternative; /);
  });

  test('the first one that allows or denies a strategy decides', { tags: ['S0-6.2'] }, async () => {
    const recoveryRules: readonly RecoveryRule[] = [
      { name: 'first', allow: 'retry' },
      { name: 'second', deny: ['retry', 'use_alternative'] },
    ];
    const { call, backup } = scene([reset, reset], { recoveryRules });
    expect(await call('flight_search')).toMatchObject({ status: 'error', attempts: 2 });
    expect(backup.starts).toEqual([]);
  });
});

describe('episodic memory', () => {
  test('counts one outcome for each call, whatever its number of retries', { tags: ['S0-9', 'S0-6.2'] }, async () => {
    const clock = manualSystem();
    const tool = scriptedTool(clock, 'flight_search', [reset, reset, succeeds(), reset, reset, reset, reset], { breaker: false });
    const { service, of } = stage(clock, [tool], { useMemory: true });
    const call = (): Promise<ToolResult> => clock.until(service.executeTool({ toolName: 'flight_search' }));
    expect(await call()).toMatchObject({ status: 'success', attempts: 3 });
    expect(await call()).toMatchObject({ status: 'error', attempts: 5 });
    await call();
    // One call was saved by its retries, one was not.
    expect(of('RecoveryDecided').at(-1)?.inputs.evidence).toMatchObject([{ strategy: 'retry', tried: 2, succeeded: 1 }]);
  });

  test('learns which alternative helps, and moves it to the front', { tags: ['S0-9', 'S0-6.2'] }, async () => {
    const { call, flights, of } = scene([reset], { useMemory: true });
    for (let index = 0; index < 14; index++) expect(await call('flight_search')).toMatchObject({ servedBy: 'flight_search_backup' });
    const last = of('RecoveryDecided').at(-1);
    expect(last?.inputs.evidence).toContainEqual(expect.objectContaining({ strategy: 'use_alternative', tool_id: 'flight_search_backup' }));
    expect(of('RecoveryDecided').map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/flight_search_backup helped in \d+ of \d+ earlier failures/),
    );
    // Ten calls were retried once; then the memory advised against it.
    expect(flights.starts.length).toBeLessThan(28);
  });
});
