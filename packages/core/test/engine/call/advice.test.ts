/** The advice of a failed result names only alternatives that a model can call now. */
import { expect, it } from 'vitest';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import type { ToolPolicy } from '../../../src/engine/settings/settings.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import type { AnyTool } from '../../../src/engine/tool/tool.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';

const gone = (): never => {
  throw Object.assign(new Error('Gone'), { status: 410 });
};

const tool = (name: string, policy: ToolPolicy & { readonly enabled?: boolean } = {}): AnyTool =>
  defineTool({ name, ...policy, run: gone });

async function adviceOf(tools: readonly AnyTool[], prepare: (service: ToolExecutionService) => void = () => undefined): Promise<string> {
  const system = manualSystem();
  // A rule prevents the call itself from using them, so they are left for the advice.
  const recoveryRules = [{ name: 'ask first', deny: ['use_alternative' as const] }];
  const service = new ToolExecutionService({ system, tools, recoveryRules });
  prepare(service);
  const { error } = await system.until(service.executeTool({ toolName: 'search' }));
  return error?.advice ?? '';
}

const search = (alternatives: readonly string[]): AnyTool => tool('search', { alternatives });
const none = 'The same call of search will fail again. Continue without it, or tell the user.';

it('names the tools that can be called', async () => {
  expect(await adviceOf([search(['backup', 'archive']), tool('backup'), tool('archive')])).toBe(
    'The same call of search will fail again. Use backup or archive instead, or continue without it.',
  );
});

it('does not name a disabled tool', async () => {
  expect(await adviceOf([search(['backup', 'archive']), tool('backup', { enabled: false }), tool('archive')])).toBe(
    'The same call of search will fail again. Use archive instead, or continue without it.',
  );
  expect(await adviceOf([search(['backup']), tool('backup', { enabled: false })])).toBe(none);
});

it('does not name a tool with an open circuit, and names it again when it has closed', async () => {
  const tools = [search(['backup']), tool('backup')];
  expect(await adviceOf(tools, (service) => service.controlCircuit('backup', 'forced_open'))).toBe(none);
  expect(
    await adviceOf(tools, (service) => {
      service.controlCircuit('backup', 'forced_open');
      service.controlCircuit('backup', 'reset');
      service.controlCircuit('backup', 'auto');
    }),
  ).toContain('Use backup instead');
});

it('names neither the tool itself nor an unknown one', async () => {
  expect(await adviceOf([search(['search', 'nowhere'])])).toBe(none);
});
