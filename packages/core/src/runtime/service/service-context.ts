/** Owns what every turn of one service shares. Created once, by the service. */
import type { HostContext } from '../drivers/in-process/host-context.ts';
import type { ProfileName } from '../../engine/settings/profiles.ts';
import type { ToolSettings, TurnSettings } from '../../engine/settings/settings.ts';
import type { StreamedTraceOptions } from '../../engine/trace/streamed-trace.ts';
import type { EventHub } from './event-hub.ts';
import type { ToolRuntime } from '../drivers/tool-runtime.ts';

/** The partitions of the call or turn with this id, by tool. */
type PartitionsOf = (id: string) => ((toolName: string) => string | undefined) | undefined;

export interface ServiceContext extends HostContext {
  readonly seed: string;
  readonly profile: ProfileName;
  /** Settings of unknown tools. */
  readonly base: ToolSettings;
  readonly turnSettings: TurnSettings;
  readonly hub: EventHub;
  /** The wall-clock time at a moment of the monotonic clock. A step of the wall clock is detected within a second. */
  readonly epochAt: (moment: number) => number;
  /** Timestamps for a trace that begins now: the wall clock is read once, so that a step of it does not split the trace. */
  readonly datedFromNow: () => (elapsedMs: number) => string;
  /** For traces that are not kept. */
  readonly streamedTraces: StreamedTraceOptions;
  /** `undefined` for a tool that does not exist. */
  readonly settingsOf: (toolName: string) => ToolSettings | undefined;
  readonly partitionsOf: PartitionsOf | undefined;
  /** The tool with the gate of a partition. `isKept`: a call uses it. */
  readonly partition: (tool: ToolRuntime, name: string, isKept: boolean) => ToolRuntime;
  /** Unique within the process, and reproducible with the same seed. */
  readonly nextTurnId: () => string;
  /** Unique over all processes, even where a seed makes turns reproducible: a service must never take it for a repetition. */
  readonly nextExecution: () => string;
  /** The same, for a generated turn id, which identifies exactly one run. */
  readonly executionOf: (turnId: string) => string;
}
