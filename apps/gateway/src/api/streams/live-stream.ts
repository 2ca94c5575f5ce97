/** Owns the live stream to one client as server-sent events: changes, heartbeats, and where to continue. */
import { reconnectDelayMs } from './format.ts';
import type { LiveHub } from './live-hub.ts';
import type { StreamStart } from './open-streams.ts';
import { type OpenStream, Reader } from './reader.ts';

export interface LiveStreamOptions extends StreamStart {
  readonly hub: LiveHub;
  /** A cursor. The first message contains everything if the cursor is not from this process. */
  readonly after: string;
}

export function liveStream({ hub, after, limits, onClose }: LiveStreamOptions): OpenStream {
  const reader = hub.open(after);
  let opening = `retry: ${reconnectDelayMs()}\n\n`;
  return new Reader({
    limits,
    heartbeat: ': heartbeat\n\n',
    next() {
      if (opening === '') return { content: reader.next(), isEnd: false };
      const content = opening;
      opening = '';
      return { content, isEnd: false };
    },
    onMore: (listener) => reader.onMore(listener),
    closingMessage: (reason) => `event: resume\ndata: ${JSON.stringify({ cursor: reader.cursor, reason })}\n\n`,
    onClose() {
      reader.close();
      onClose();
    },
  });
}
