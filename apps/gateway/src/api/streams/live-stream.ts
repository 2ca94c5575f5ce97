/** Owns the live stream of one reader, as server-sent events: what has changed, a word now and then while nothing does, and where to continue. */
import { comeBackMs } from './format.ts';
import type { LiveHub } from './live-hub.ts';
import type { StreamStart } from './open-streams.ts';
import { type OpenStream, Reader } from './reader.ts';

export interface LiveStreamOptions extends StreamStart {
  readonly hub: LiveHub;
  /** A cursor; everything is told first where it is none of this process. */
  readonly after: string;
}

export function liveStream({ hub, after, limits, onClose }: LiveStreamOptions): OpenStream {
  const reader = hub.open(after);
  let opening = `retry: ${comeBackMs()}\n\n`;
  return new Reader({
    limits,
    heartbeat: ': nothing new\n\n',
    next() {
      if (opening === '') return { content: reader.next(), isEnd: false };
      const content = opening;
      opening = '';
      return { content, isEnd: false };
    },
    onMore: (listener) => reader.onMore(listener),
    farewell: (reason) => `event: resume\ndata: ${JSON.stringify({ cursor: reader.cursor, reason })}\n\n`,
    onClose() {
      reader.close();
      onClose();
    },
  });
}
