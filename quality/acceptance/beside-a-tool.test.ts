/** What breaks beside a tool: the call goes its way without it, and the trace says what broke, in its own words. */
import { defineTool, ErrorHandler, memoryStore, ToolExecutionService, type TraceEvent } from '@holdfast/core';
import { AgentRun, Session } from '@holdfast/core/agent';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { fails, scriptedTool, succeeds } from './support/scripted-tool.ts';
import { eventsOf } from './support/events-of.ts';

const breaks = (what: string) => (): never => {
  throw new Error(`${what} broke`);
};
const rejects = (what: string) => (): Promise<never> => Promise.reject(new Error(`${what} broke`));
const schemaThat = (validate: () => unknown): never => ({ '~standard': { version: 1, vendor: 'own', validate } }) as never;
const tags = ['S2-nothing-swallowed', 'S3-negatives', 'S3-invariant', 'S0-6.2'];

interface Part {
  readonly options: (system: ReturnType<typeof manualSystem>) => Partial<ConstructorParameters<typeof ToolExecutionService>[0]>;
  readonly reported: object;
}

/** An error handler with a listener that throws. */
function listenedTo(): ErrorHandler {
  const handler = new ErrorHandler();
  handler.subscribe(breaks('the listener'));
  return handler;
}

const parts: readonly (readonly [string, Part])[] = [
  [
    'an advisor that throws',
    { options: () => ({ advisor: breaks('the advisor') }), reported: { component: 'handler', error: 'the advisor broke' } },
  ],
  [
    'an advisor that rejects',
    { options: () => ({ advisor: rejects('the advisor') }), reported: { component: 'handler', error: 'the advisor broke' } },
  ],
  [
    'a memory',
    {
      options: () => ({ errorHandler: new ErrorHandler({ memory: { recall: breaks('the memory') } }) }),
      reported: { component: 'memory', error: 'the memory broke' },
    },
  ],
  [
    'a listener of failures',
    { options: () => ({ errorHandler: listenedTo() }), reported: { component: 'listener', error: 'the listener broke' } },
  ],
  [
    'an error handler',
    {
      options: () => ({ errorHandler: Object.assign(new ErrorHandler(), { handle: breaks('the handler') }) }),
      reported: { component: 'handler', error: 'the handler broke' },
    },
  ],
];

describe('of a decision', () => {
  test.each(parts)('%s: the built-in decision counts', { tags }, async (_what, { options, reported }) => {
    const system = manualSystem();
    const flights = scriptedTool(system, 'flight_search', [fails('Connection reset'), succeeds('found')]);
    const service = new ToolExecutionService({ tools: [flights.tool], system, ...options(system) });
    const events: TraceEvent[] = [];
    service.subscribe((event) => void events.push(event));
    const result = await system.until(service.executeTool({ toolName: 'flight_search', callId: 'c-1' }));
    expect(result).toMatchObject({ status: 'success', output: 'found', attempts: 2 });
    expect(eventsOf(events, 'ComponentFailed')).toMatchObject([{ ...reported, call_id: 'c-1' }]);
    expect(eventsOf(events, 'RecoveryDecided')).toMatchObject([{ decided_by: 'built_in', decision: { action: 'retry' } }]);
    await service.close();
  });
});

describe('of the service', () => {
  test('a listener that throws is reported, and the others hear everything', { tags }, async () => {
    const system = manualSystem();
    const service = new ToolExecutionService({ tools: [scriptedTool(system, 'clock', [succeeds(1)]).tool], system });
    const events: TraceEvent[] = [];
    service.subscribe(breaks('the first'));
    service.subscribe((event) => void events.push(event));
    expect(await system.until(service.executeTool({ toolName: 'clock' }))).toMatchObject({ status: 'success', output: 1 });
    expect(eventsOf(events, 'ComponentFailed')).toMatchObject([{ component: 'listener', error: 'the first broke' }]);
    expect(events.map(({ event_type: type }) => type)).toContain('CallCompleted');
    await service.close();
  });

  test('a store that cannot append is named to the operator', { tags }, async () => {
    const system = manualSystem();
    const store = Object.assign(memoryStore(), { append: breaks('the disk') });
    const faults: unknown[] = [];
    const tools = [scriptedTool(system, 'clock', [succeeds(1)]).tool];
    const service = new ToolExecutionService({ tools, system, store, onFault: (fault) => void faults.push(fault) });
    expect(await system.until(service.executeTool({ toolName: 'clock' }))).toMatchObject({ status: 'success', output: 1 });
    await system.until(service.close());
    expect(faults[0]).toEqual({ component: 'store', name: 'append', error: 'the disk broke' });
  });
});

describe.each([
  ['throws', breaks('the schema')],
  ['rejects', rejects('the schema')],
] as const)('a schema that %s checks nothing, and is named', (_how, validate) => {
  test('of arguments and of a result', { tags }, async () => {
    const system = manualSystem();
    const schema = schemaThat(validate);
    const tool = defineTool({ name: 'clock', input: schema, output: schema, run: (given: unknown) => given as never });
    const service = new ToolExecutionService({ tools: [tool], system });
    const events: TraceEvent[] = [];
    service.subscribe((event) => void events.push(event));
    const call = { toolName: 'clock', callId: 'c-1', arguments: { zone: 'UTC' } };
    expect(await system.until(service.executeTool(call))).toMatchObject({ status: 'success', output: { zone: 'UTC' } });
    const reported = (which: string) => ({
      component: 'schema',
      name: 'clock',
      error: expect.stringMatching(new RegExp(`^${which} schema: .*the schema broke`, 'u')) as string,
      call_id: 'c-1',
    });
    expect(eventsOf(events, 'ComponentFailed')).toMatchObject([reported('input'), reported('output')]);
    await service.close();
  });

  test('of a structured output', { tags }, async () => {
    const system = manualSystem();
    const service = new ToolExecutionService({ tools: [], system });
    const events: TraceEvent[] = [];
    service.subscribe((event) => void events.push(event));
    const run = new AgentRun({ service, session: new Session({ system }) });
    expect(await system.until(run.readOutput('{"city":"Oslo"}', schemaThat(validate)))).toMatchObject({
      ok: true,
      value: { city: 'Oslo' },
    });
    expect(eventsOf(events, 'ComponentFailed')).toMatchObject([
      { component: 'schema', name: 'structured output', error: expect.stringMatching(/^output schema: .*the schema broke/u) as string },
    ]);
    await service.close();
  });
});
