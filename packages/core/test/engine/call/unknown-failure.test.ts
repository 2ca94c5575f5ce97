/** Failures that show nothing about their cause: reported as they are, or retried like transient ones. */
import { describe, expect, it } from 'vitest';
import { createMetricsFold } from '../../../src/projections/tool-metrics.ts';
import { createHistory } from '../../../src/projections/history/index.ts';
import type { ToolPolicy } from '../../../src/engine/settings/settings.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import type { TraceEvent } from '../../../src/engine/trace/events.ts';
import { replayTurn } from '../../../src/replay/index.ts';
import type { ToolExecutionServiceOptions } from '../../../src/runtime/service/options.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import type { ManualSystem } from '../../../src/testing/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';

const report: ToolPolicy = { unknownFailures: 'report' };
const taken = new Error('Seat 12A is taken');
const down = Object.assign(new Error('down'), { status: 503 });

interface Stage {
  readonly system: ManualSystem;
  readonly service: ToolExecutionService;
  readonly events: TraceEvent[];
  readonly starts: () => number;
}

/** A tool that throws one error after the other; the last one stays. `undefined` in the list succeeds. */
function stage(policy: ToolPolicy, errors: readonly unknown[], options: Partial<ToolExecutionServiceOptions> = {}): Stage {
  const system = manualSystem();
  const events: TraceEvent[] = [];
  let starts = 0;
  const tool = defineTool({
    name: 'book',
    ...policy,
    run: () => {
      const error = errors[Math.min(starts, errors.length - 1)];
      starts += 1;
      if (error !== undefined) throw error;
      return 'booked';
    },
  });
  const service = new ToolExecutionService({ system, seed: 'seed', tools: [tool], ...options });
  service.subscribe((event) => void events.push(event));
  return { system, service, events, starts: () => starts };
}

const book = ({ system, service }: Stage): ReturnType<ToolExecutionService['executeTool']> =>
  system.until(service.executeTool({ toolName: 'book' }));

describe('a reported failure', () => {
  it.each([
    ['undeclared', {}, 1],
    ['unsafe', { effect: 'unsafe' }, 1],
    ['idempotent', { effect: 'idempotent' }, 2],
    ['read', { effect: 'read' }, 2],
  ] as const)('of a tool that is %s is started %j', async (_name, policy, times) => {
    const made = stage({ ...report, ...policy }, [taken]);
    const { status, attempts, error } = await book(made);
    expect({ status, attempts, starts: made.starts() }).toEqual({ status: 'error', attempts: times, starts: times });
    expect(error).toMatchObject({
      code: 'TOOL_ERROR',
      message: 'Tool error: Seat 12A is taken',
      cause: taken,
      retryable: false,
      classification: 'permanent',
      category: 'unknown',
      rule: 'unknown',
    });
  });

  it('is not counted by the circuit, whatever it counts', async () => {
    for (const count of ['attempt', 'call'] as const) {
      const made = stage({ ...report, effect: 'read', breaker: { failureThreshold: 1, count } }, [taken]);
      for (let call = 0; call < 30; call++) await book(made);
      expect(made.service.getToolHealth('book')).toMatchObject({ circuit: 'closed', failureCount: 0 });
    }
  });

  it('neither counts nor interrupts a run of failures, and does not close a circuit', async () => {
    const once = { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 2, openMs: 1_000 } };
    const made = stage({ ...report, ...once }, [down, taken, down, taken, undefined]);
    await book(made);
    await book(made);
    expect(made.service.getToolHealth('book')).toMatchObject({ circuit: 'closed', failureCount: 1 });
    await book(made);
    expect(made.service.getToolHealth('book')).toMatchObject({ circuit: 'open' });
    await made.system.advance(1_000);
    await book(made);
    expect(made.service.getToolHealth('book')).toMatchObject({ circuit: 'half_open' });
    await book(made);
    expect(made.service.getToolHealth('book')).toMatchObject({ circuit: 'closed' });
  });

  it('is distinguished from a transient failure of the same call', async () => {
    const made = stage({ ...report, effect: 'read' }, [down, taken, down, undefined]);
    expect(await book(made)).toMatchObject({ status: 'success', attempts: 4 });
    const again = stage({ ...report, effect: 'read' }, [taken, down, taken]);
    expect(await book(again)).toMatchObject({ status: 'error', attempts: 3, error: { stoppedBy: 'policy', cause: taken } });
  });

  it('may use an alternative if it certainly did not happen', async () => {
    const system = manualSystem();
    const fails = (error: unknown) => (): never => {
      throw error;
    };
    const spare = defineTool({ name: 'spare', run: () => 'booked' });
    const resultOf = async (error: unknown, policy: ToolPolicy): Promise<unknown> => {
      const tool = defineTool({ name: 'book', ...report, alternatives: ['spare'], ...policy, run: fails(error) });
      const service = new ToolExecutionService({ system, tools: [tool, spare] });
      const { status, servedBy } = await system.until(service.executeTool({ toolName: 'book' }));
      return `${status} ${servedBy}`;
    };
    expect(await resultOf(taken, { effect: 'unsafe' })).toBe('error book');
    expect(await resultOf(taken, { assumedEffect: 'unsafe' })).toBe('error book');
    expect(await resultOf(taken, { effect: 'read' })).toBe('success spare');
    expect(await resultOf(Object.assign(new Error('hm'), { ambiguous: false }), { effect: 'unsafe' })).toBe('success spare');
  });

  it('does not apply if a rule of the tool, or the server, classifies the failure', async () => {
    const classification = [{ message: 'taken', as: 'transient' as const }];
    const ruled = stage({ ...report, classification, retry: { maxAttempts: 3 } } as ToolPolicy, [taken]);
    expect(await book(ruled)).toMatchObject({ attempts: 3, error: { classification: 'transient' } });
    const hinted = stage({ ...report, retry: { maxAttempts: 2 } }, [Object.assign(new Error('hm'), { retryAfterMs: 50 })]);
    expect(await book(hinted)).toMatchObject({ attempts: 2, error: { classification: 'transient' } });
  });

  it('leaves a slow attempt beside it running', async () => {
    const system = manualSystem();
    let starts = 0;
    const tool = defineTool({
      name: 'book',
      ...report,
      effect: 'read',
      hedge: { afterMs: 100 },
      run: () => {
        starts += 1;
        if (starts === 2) throw taken;
        return new Promise((resolve) => void system.setTimer(500, () => resolve('booked')));
      },
    });
    const service = new ToolExecutionService({ system, tools: [tool] });
    expect(await system.until(service.executeTool({ toolName: 'book' }))).toMatchObject({
      output: 'booked',
      attempts: 2,
      executionTime: 500,
    });
  });
});

describe('in the trace', () => {
  const turn = async (policy: ToolPolicy, options: Partial<ToolExecutionServiceOptions> = {}): Promise<readonly TraceEvent[]> => {
    const { system, service } = stage(policy, [taken], options);
    return (await system.until(service.executeTurn({ turnId: 'turn', calls: [{ callId: 'A', toolName: 'book' }] }))).trace;
  };

  it('the decision says how often, and why', async () => {
    const decided = (await turn({ ...report, effect: 'read', assumedEffect: 'unsafe' })).flatMap((event) =>
      event.event_type === 'RecoveryDecided' ? [event] : [],
    );
    expect(decided.map(({ inputs, message }) => [inputs.unknown_failures, inputs.effect, inputs.assumed_effect, message])).toEqual([
      [1, 'read', undefined, 'Unknown failure, retried at most once'],
      [2, 'read', undefined, 'Unknown failure, retried at most once'],
    ]);
    const undeclared = (await turn({ ...report, assumedEffect: 'unsafe' })).find(({ event_type }) => event_type === 'RecoveryDecided');
    expect(undeclared).toMatchObject({
      inputs: { unknown_failures: 1, assumed_effect: 'unsafe', ambiguous: true },
      decision: { action: 'escalate', stopped_by: 'policy' },
      message: 'Unknown failure, retried only if read or idempotent is declared',
    });
    expect(undeclared).not.toHaveProperty('inputs.effect');
  });

  it.each([
    ['reported', { ...report, effect: 'read' }, {}],
    ['retried', { unknownFailures: 'retry' }, {}],
    ['of the profile', {}, { profile: 'adaptive' }],
    ['of the profile, idempotent', { effect: 'idempotent' }, { profile: 'adaptive' }],
  ] as const)('%s: an exact replay finds no difference', async (_name, policy, options) => {
    const trace = await turn(policy, options);
    expect(replayTurn(trace).differences).toEqual([]);
    expect(replayTurn(JSON.parse(JSON.stringify(trace)) as TraceEvent[]).differences).toEqual([]);
  });

  it('a what-if classifies the failure by the other settings', async () => {
    const reported = await turn({ ...report, effect: 'read' });
    expect(replayTurn(reported, { policy: { unknownFailures: 'retry' } }).report.results[0]).toMatchObject({
      attempts: 5,
      error: { classification: 'transient' },
    });
    const retried = await turn({ unknownFailures: 'retry' });
    expect(replayTurn(retried, { policy: report }).report.results[0]).toMatchObject({
      attempts: 1,
      error: { classification: 'permanent' },
    });
    expect(replayTurn(retried, { policy: { ...report, effect: 'read' } }).report.results[0]).toMatchObject({ attempts: 2 });
    expect(replayTurn(retried, { policy: { assumedEffect: 'unsafe' } }).report.results[0]).toMatchObject({ attempts: 1 });
  });

  it('of an earlier version, without these settings, it is replayed as before', async () => {
    const old = JSON.parse(JSON.stringify(await turn({}))) as TraceEvent[];
    expect(JSON.stringify(old)).not.toMatch(/unknown_failures|assumed|unknownFailures|idleTimeout/);
    expect(replayTurn(old).differences).toEqual([]);
    expect(old.filter(({ event_type }) => event_type === 'AttemptStarted')).toHaveLength(5);
  });

  it('counts as an error of the tool, not as a sample of its circuit', async () => {
    const trace = await turn({ ...report, effect: 'read', breaker: { failureThreshold: 1 } });
    const metrics = createMetricsFold();
    for (const event of trace) metrics.observe(event);
    expect(metrics.of('book').attempts).toMatchObject({ errorCount: 2, transientErrorCount: 0, permanentErrorCount: 2, retryCount: 1 });
    const history = createHistory();
    for (const event of trace) history.observe(event);
    expect(history.samplesOf('book').map(({ outcome }) => outcome)).toEqual(['neutral', 'neutral']);
  });
});
