/** Owns what every turn of one service shares. Made once, by the service. */
import type { InProcessKit } from '../drivers/in-process/host-context.ts';
import type { ProfileName } from '../../engine/settings/profiles.ts';
import type { ToolSettings, TurnSettings } from '../../engine/settings/settings.ts';
import type { StreamedTraceOptions } from '../../engine/trace/streamed-trace.ts';
import type { EventHub } from './event-hub.ts';

export interface ServiceKit extends InProcessKit {
  readonly seed: string;
  readonly profile: ProfileName;
  /** Settings of a tool that nothing more is known of. */
  readonly base: ToolSettings;
  readonly turnSettings: TurnSettings;
  readonly hub: EventHub;
  /** The wall clock at a moment of the monotonic one. A step of the wall clock is noticed within a second. */
  readonly epochAt: (moment: number) => number;
  /** How the events of a trace that begins now are dated: the wall clock is read once, so that a step of it does not tear a trace apart. */
  readonly datedFromNow: () => (elapsedMs: number) => string;
  /** For traces that are not kept. */
  readonly streamedTraces: StreamedTraceOptions;
  /** `undefined` for a tool that does not exist. */
  readonly settingsOf: (toolName: string) => ToolSettings | undefined;
  /** Unique within the process, and the same again for the same seed. */
  readonly nextTurnId: () => string;
  /** Unique over all processes, also where a seed makes turns reproducible: what a service must never take for a repetition. */
  readonly nextExecution: () => string;
  /** The same, for a turn whose id is our own and so names one run. */
  readonly executionOf: (turnId: string) => string;
}
