import { expect, it } from 'vitest';
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';

async function failureOf(properties: object): Promise<unknown> {
  const run = (): never => {
    throw Object.assign(new Error("MCP server 'crm' needs a login. Run: holdfast login crm"), properties);
  };
  const system = manualSystem();
  const service = new ToolExecutionService({ tools: [defineTool({ name: 'crm_query', run })], profile: 'spec', system });
  const calls = Array.from({ length: 6 }, () => service.executeTool({ toolName: 'crm_query' }));
  const results = await system.until(Promise.all(calls));
  expect(service.getToolHealth('crm_query')).toMatchObject({ circuit: 'closed', failureCount: 0 });
  expect(results.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1, 1]);
  return results[0]?.error;
}

it('a missing login has a code of its own, is not retried and opens no circuit', async () => {
  expect(await failureOf({ code: 'LOGIN_REQUIRED' })).toMatchObject({
    code: 'LOGIN_REQUIRED',
    category: 'auth',
    classification: 'permanent',
    retryable: false,
    message: "Tool error: MCP server 'crm' needs a login. Run: holdfast login crm",
    userMessage: 'The crm query tool needs a login.',
  });
});

it('rejected credentials are not a missing login', async () => {
  expect(await failureOf({ status: 401 })).toMatchObject({ code: 'AUTHENTICATION_FAILED', classification: 'permanent' });
});
