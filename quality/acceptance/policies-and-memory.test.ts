/** S0 6.2: what policies (Consciousness) and episodic memory do to decisions, in a service. */
import { type RecoveryRule, ToolExecutionService, type ToolResult } from '@holdfast/core';
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

  test('say why: a rule that denies is quoted in the decision, with its reason', { tags: ['S0-6.2'] }, async () => {
    const { call, of } = scene([reset], under({ deny: ['retry', 'use_alternative'], reason: 'never book twice' }));
    expect(await call('flight_search')).toMatchObject({ status: 'error', attempts: 1 });
    expect(of('RecoveryDecided')[0]?.message).toContain('never book twice');
  });

  test('of several that prefer a strategy, the first decides', { tags: ['S0-6.2'] }, async () => {
    const recoveryRules: readonly RecoveryRule[] = [
      { name: 'first', prefer: 'use_alternative' },
      { name: 'second', prefer: 'retry' },
    ];
    const { call, flights } = scene([reset, succeeds()], { recoveryRules });
    expect(await call('flight_search')).toMatchObject({ servedBy: 'flight_search_backup' });
    expect(flights.starts).toHaveLength(1);
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

describe('error handling policies that cannot be read', () => {
  test.each<readonly [string, object, RegExp]>([
    ['without an action', { name: 'never' }, /'allow', 'deny' or 'prefer'/],
    ['with a pattern for a tool', { name: 'never', when: { tool: 'pay*' }, deny: 'retry' }, /exact name/],
    ['with an unknown strategy', { name: 'never', deny: 'retries' }, /retry/],
    ['with an unknown condition', { name: 'never', when: { tools: 'pay' }, deny: 'retry' }, /tool/],
    ['with an empty list', { name: 'never', deny: [] }, /empty/],
  ])('%s refuse the service', { tags: ['S0-6.2'] }, (_name, rule, message) => {
    const right = { name: 'right', deny: 'retry' };
    expect(() => new ToolExecutionService({ tools: [], recoveryRules: [right, rule] as never })).toThrow(message);
  });
});

describe('episodic memory', () => {
  const outage = (calls: number): readonly Step[] => Array.from({ length: 2 * calls }, () => reset);

  test('advises against retries per tool and kind of error', { tags: ['S0-9', 'S0-6.2'] }, async () => {
    const clock = manualSystem();
    const policy = { breaker: false, retry: { maxAttempts: 2 } } as const;
    const flights = scriptedTool(clock, 'flight_search', [...outage(10), limited, succeeds('found'), reset], policy);
    const { service } = stage(clock, [flights], { useMemory: true });
    const call = (): Promise<ToolResult> => clock.until(service.executeTool({ toolName: 'flight_search' }));
    for (let index = 0; index < 10; index++) expect(await call()).toMatchObject({ attempts: 2 });
    expect(await call()).toMatchObject({ status: 'success', attempts: 2 });
    expect(await call()).toMatchObject({ status: 'error', attempts: 1 });
  });

  test('notices when retries help again', { tags: ['S0-9'] }, async () => {
    const clock = manualSystem();
    const flaky = Array.from({ length: 40 }, () => [reset, succeeds('found')]).flat();
    const flights = scriptedTool(clock, 'flight_search', [...outage(10), ...flaky], { breaker: false, retry: { maxAttempts: 2 } });
    const { service } = stage(clock, [flights], { useMemory: true });
    const statuses: string[] = [];
    for (let index = 0; index < 30; index++)
      statuses.push((await clock.until(service.executeTool({ toolName: 'flight_search', callId: `call_${index}` }))).status);
    expect(statuses.slice(0, 10)).not.toContain('success');
    expect(flights.starts.length).toBeGreaterThan(20 + 20);
  });

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
