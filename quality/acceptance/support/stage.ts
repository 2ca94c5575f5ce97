/** A service on a manual clock, and everything it wrote into the trace. */
import type { AnyTool, TraceEvent } from '@holdfast/core';
import type { TraceEventType } from '@holdfast/core/trace';
import { ToolExecutionService } from '@holdfast/core';
import type { ManualSystem } from '@holdfast/core/testing';
import { expect, onTestFinished } from 'vitest';
import { expectConsistent } from './consistent-trace.ts';
import { eventsOf, type EventOf } from './events-of.ts';
import { expectExported } from './exported-metrics.ts';
import { JournaledService } from './journaled-service.ts';
import { expectKept } from './kept-turns.ts';
import { expectReplays } from './replay-check.ts';
import type { ScriptedTool } from './scripted-tool.ts';
import type { StageOptions } from './stage-options.ts';
import { expectTakeovers } from './takeover-check.ts';

export { eventsOf };

export interface Stage {
  readonly service: ToolExecutionService;
  /** Everything so far, of all calls. */
  readonly events: readonly TraceEvent[];
  /** The events of one type. */
  readonly of: <Type extends TraceEventType>(type: Type) => readonly EventOf<Type>[];
  /** Every `message` so far. */
  readonly messages: () => readonly string[];
}

/** Every turn runs over a journal: the tests of this project are the same. */
const isDurable = process.env['ACCEPTANCE_DRIVER'] === 'journal';

export function stage(system: ManualSystem | undefined, tools: readonly (ScriptedTool | AnyTool)[], options: StageOptions = {}): Stage {
  const events: TraceEvent[] = [];
  const common = { seed: 'acceptance', ...options, tools: tools.map((tool) => ('tool' in tool ? tool.tool : tool)) };
  const journaled = isDurable && system ? new JournaledService({ ...common, system }) : undefined;
  const service: ToolExecutionService = journaled ?? new ToolExecutionService({ ...common, ...(system ? { system } : {}) });
  service.subscribe((event) => void events.push(event));
  const { currentTestName: name = '', testPath: path = '' } = expect.getState();
  onTestFinished(async () => {
    expectReplays(events);
    if (!isDurable) expectConsistent(events);
    expectExported(events);
    if (!isDurable) expectKept({ name, path }, events, { service, profile: options.profile });
    if (journaled) await expectTakeovers({ service: journaled, tools, options });
  });
  return {
    service,
    events,
    of: (type) => eventsOf(events, type),
    messages: () => events.flatMap((event) => ('message' in event && event.message !== undefined ? [event.message] : [])),
  };
}
