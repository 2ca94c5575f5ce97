/** Owns the in-process host as it works for a journaled turn: what it and its gates tell goes through the turn's log. */
import { InProcessHost } from '../../runtime/drivers/in-process/in-process-host.ts';
import type { HostContext } from '../../runtime/drivers/in-process/host-context.ts';
import type { TraceEventBody } from '../../engine/trace/events.ts';
import type { Trace } from '../../engine/trace/turn-trace.ts';

export class LocalHost extends InProcessHost {
  readonly #tell: (event: TraceEventBody) => void;

  constructor(context: HostContext, tell: (event: TraceEventBody) => void, onCrash: (error: unknown) => void) {
    super(context, onCrash);
    this.#tell = tell;
  }

  override append(_trace: Trace, event: TraceEventBody): void {
    this.#tell(event);
  }
}
