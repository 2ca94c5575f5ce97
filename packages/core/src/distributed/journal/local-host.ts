/** Owns the in-process host of a journaled turn: the events of the host and its gates are recorded in the turn's log. */
import { InProcessHost } from '../../runtime/drivers/in-process/in-process-host.ts';
import type { HostContext } from '../../runtime/drivers/in-process/host-context.ts';
import type { TraceEventBody } from '../../engine/trace/events.ts';
import type { Trace } from '../../engine/trace/turn-trace.ts';

export class LocalHost extends InProcessHost {
  readonly #onEvent: (event: TraceEventBody) => void;

  constructor(context: HostContext, onEvent: (event: TraceEventBody) => void, onCrash: (error: unknown) => void) {
    super(context, onCrash);
    this.#onEvent = onEvent;
  }

  override append(_trace: Trace, event: TraceEventBody): void {
    this.#onEvent(event);
  }
}
