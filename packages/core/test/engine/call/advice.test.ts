/** The advice of a failed result: it names only alternatives that a model can call now, and says what may have taken effect. */
import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../../../src/engine/call/result.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import type { ToolPolicy } from '../../../src/engine/settings/settings.ts';
import type { ManualSystem } from '../../../src/testing/index.ts';
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
  const service = new ToolExecutionService<readonly AnyTool[]>({ system, tools: [], recoveryRules });
  // Added later, so that an alternative may be missing.
  service.replaceTools(tools);
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

describe('after a failure that may have taken effect', () => {
  type Behaviour = 'lost' | 'gone' | 'hangs' | 'done';

  const lost = (): never => {
    throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  };

  async function resultOf(
    behaviours: Readonly<Record<string, readonly [ToolPolicy, ...Behaviour[]]>>,
    act: (service: ToolExecutionService, system: ManualSystem) => Promise<ToolResult> = (service) =>
      service.executeTool({ toolName: 'pay' }),
  ): Promise<ToolResult> {
    const system = manualSystem();
    const tools = Object.entries(behaviours).map(([name, [policy, ...of]]) => {
      let starts = 0;
      return defineTool({
        name,
        ...policy,
        run: () => {
          const behaviour = of[Math.min(starts, of.length - 1)];
          starts += 1;
          if (behaviour === 'done') return 'done';
          return behaviour === 'hangs' ? new Promise(() => undefined) : behaviour === 'gone' ? gone() : lost();
        },
      });
    });
    return system.until(act(new ToolExecutionService({ system, tools }), system));
  }

  const pay = async (policy: ToolPolicy, ...behaviours: readonly Behaviour[]): Promise<string | undefined> =>
    (await resultOf({ pay: [{ retry: { jitter: 'none' }, ...policy }, ...behaviours] })).error?.advice;

  it('says so, and how often the tool was started', async () => {
    expect(await pay({ effect: 'unsafe' }, 'lost')).toBe('pay was started once and may have taken effect. Check before you call it again.');
    expect(await pay({ assumedEffect: 'unsafe' }, 'hangs')).toBe(
      'pay was started once and may have taken effect. Check before you call it again.',
    );
    expect(await pay({ retry: { maxAttempts: 2 } }, 'lost')).toBe(
      'pay was started twice and may have taken effect. Check before you call it again.',
    );
    expect(await pay({ breaker: false }, 'lost')).toBe(
      'pay was started 5 times and may have taken effect. Check before you call it again.',
    );
  });

  it('says when it may be called again', async () => {
    expect(await pay({}, 'lost')).toBe(
      'pay was started 5 times and may have taken effect. Check before you call it again, in 30s at the earliest.',
    );
  });

  it('says that a repetition is safe where it is', async () => {
    expect(await pay({ effect: 'idempotent', retry: { maxAttempts: 1 } }, 'lost')).toBe(
      'pay was started once and may have taken effect. It is safe to call it again with the same arguments.',
    );
  });

  it('does not mention it if the tool has no effect', async () => {
    expect(await pay({ effect: 'read', retry: { maxAttempts: 2 } }, 'lost')).toBe(
      'pay still failed after 2 attempts. Continue without it, or tell the user.',
    );
    expect(await pay({ effect: 'read', retry: { maxAttempts: 1 } }, 'lost')).toBe('pay failed. Continue without it, or tell the user.');
  });

  it('says it even if a later attempt certainly had none', async () => {
    const result = await resultOf({ pay: [{ effect: 'idempotent' }, 'lost', 'gone'] });
    expect(result.error).toMatchObject({
      ambiguous: true,
      classification: 'permanent',
      advice: 'pay was started twice and may have taken effect. It is safe to call it again with the same arguments.',
    });
  });

  it('names the tool that was started: an alternative, or both', async () => {
    const once = { retry: { maxAttempts: 1 } };
    const adviceAfter = async (first: Behaviour, policy: ToolPolicy = {}): Promise<string | undefined> =>
      (await resultOf({ pay: [{ ...once, ...policy, alternatives: ['spare'] }, first], spare: [{ ...once, effect: 'unsafe' }, 'lost'] }))
        .error?.advice;
    expect(await adviceAfter('gone')).toBe('spare was started once and may have taken effect. Check before you call it again.');
    expect(await adviceAfter('lost', { effect: 'idempotent' })).toBe(
      'pay was started once and may have taken effect. spare was started once and may have taken effect. Check before you call it again.',
    );
  });

  it('does not claim that a tool was repeated when its alternative failed', async () => {
    const { error } = await resultOf({
      pay: [{ alternatives: ['spare'], effect: 'read', retry: { maxAttempts: 1 } }, 'lost'],
      spare: [{ effect: 'read', retry: { maxAttempts: 1 } }, 'lost'],
    });
    expect(error?.advice).toContain('pay failed.');
  });

  it('says it for a call that was cancelled, or whose turn ended', async () => {
    const cancelled = await resultOf({ pay: [{}, 'hangs'] }, (service, system) => {
      const controller = new AbortController();
      system.setTimer(10, () => controller.abort());
      return service.executeTool({ toolName: 'pay' }, { signal: controller.signal });
    });
    expect(cancelled.error?.advice).toBe('pay was started once and may have taken effect. Do not call it again unless you are asked to.');
    const ended = await resultOf({ pay: [{}, 'hangs'] }, (service) => service.executeTool({ toolName: 'pay' }, { timeoutMs: 50 }));
    expect(ended.error?.advice).toBe('pay was started once and may have taken effect. Check before you call it again.');
  });

  it('between two attempts: the first may have taken effect', async () => {
    const policy = { effect: 'idempotent', retry: { initialDelayMs: 100, jitter: 'none' } } as const;
    const ended = await resultOf({ pay: [policy, 'lost'] }, (service) => service.executeTool({ toolName: 'pay' }, { timeoutMs: 50 }));
    expect(ended.error).toMatchObject({
      ambiguous: true,
      advice: expect.stringContaining('pay was started once and may have taken effect.'),
    });
  });

  it('a call that never ran had no effect', async () => {
    const { error } = await resultOf({ pay: [{}, 'done'] }, async (service) => {
      service.controlCircuit('pay', 'forced_open');
      return service.executeTool({ toolName: 'pay' });
    });
    expect(error).not.toHaveProperty('ambiguous');
    expect(error?.advice).not.toContain('may have taken effect');
  });
});
