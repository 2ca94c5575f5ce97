/** Owns the host of a what-if: a virtual host, except that a call that was rejected before any attempt of a tool is rejected again, under any settings. */
import type { CallRun, Effect, Feed } from '../runtime/drivers/host.ts';
import type { VirtualHostOptions } from '../runtime/drivers/virtual/virtual-host.ts';
import { VirtualHost } from '../runtime/drivers/virtual/virtual-host.ts';
import { recordedFault } from './recorded-outcome.ts';
import type { Recording } from './recording.ts';

export class AssumedHost extends VirtualHost {
  readonly #recording: Recording;

  constructor(recording: Recording, options: VirtualHostOptions) {
    super(options);
    this.#recording = recording;
  }

  override prepare(run: CallRun, effect: Effect<'prepare'>, feed: Feed): void {
    for (const event of this.#recording.calls.get(run.state.spec.callKey) ?? [])
      if (event.event_type === 'ToolError' && event.attempt === 0 && event.tool_id === effect.toolName)
        return feed(run, { type: 'prepared', fault: recordedFault(event) });
    super.prepare(run, effect, feed);
  }
}
