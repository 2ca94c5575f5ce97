/** Owns what an entry point is, and the service that they are tried with. */
import * as core from '@holdfast/core';
import * as agent from '@holdfast/core/agent';
import * as testing from '@holdfast/core/testing';

/** What takes options. It throws or rejects, or its result has the problem. */
export interface EntryPoint {
  /** Interface of the options, as a report under `api/` names it. */
  readonly options: string;
  /** The functions that take them, by name. */
  readonly given: Readonly<Record<string, (options: never) => unknown>>;
  /** Options that are accepted. @default {} */
  readonly valid?: object;
  /** Fields that take any value, so none is wrong. */
  readonly anything?: readonly string[];
  /** Fields for which `null` has a meaning. */
  readonly nullable?: readonly string[];
  /** Valid options would start or read something: they are only refused here. @default false */
  readonly onlyRefuses?: boolean;
}

export const system = testing.manualSystem();
const tool = core.defineTool({ name: 'search', run: () => 'found' });
export const tools = [tool] as const;
export const service = new core.ToolExecutionService({ system, tools });
export const run = (): agent.AgentRun => new agent.AgentRun({ service });
export const call = { callId: 'a', toolName: 'search', arguments: {} } as const;
export const plain = { name: 'search', run: () => 'found' };
export const events = (await service.executeTurn({ turnId: 'turn', calls: [call] })).trace;
