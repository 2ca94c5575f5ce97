/** A server over stdio that writes to its standard error which tools were aborted. */
import { stdioTransport } from '@holdfast/mcp-wire/server';
import { recordingHandler } from './handler.ts';

const handler = recordingHandler();
const transport = stdioTransport(
  {
    ...handler,
    async handle(request) {
      if (request.params['name'] === 'change') {
        transport.publish('notifications/tools/list_changed', {});
        return { content: [] };
      }
      request.signal.addEventListener('abort', () => process.stderr.write(`aborted ${String(request.params['name'])}\n`));
      return await handler.handle(request);
    },
  },
  { input: process.stdin, output: process.stdout },
);
await transport.ended;
process.stderr.write('ended\n');
