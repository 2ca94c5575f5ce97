/** A server over stdio that tells on its standard error which tools were aborted. */
import { stdioFront } from '@holdfast/mcp-wire/server';
import { seenFace } from './handler.ts';

const face = seenFace();
const front = stdioFront(
  {
    ...face,
    async handle(request) {
      if (request.params['name'] === 'change') {
        front.publish('notifications/tools/list_changed', {});
        return { content: [] };
      }
      request.signal.addEventListener('abort', () => process.stderr.write(`aborted ${String(request.params['name'])}\n`));
      return await face.handle(request);
    },
  },
  { input: process.stdin, output: process.stdout },
);
await front.ended;
process.stderr.write('ended\n');
