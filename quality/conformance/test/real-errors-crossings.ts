/** Ways in which an error crosses a boundary before it is classified. */
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';

/** Through a message port, as from a worker. Parts that cannot be cloned are lost. */
function cloned(error: unknown): unknown {
  const { port1, port2 } = new MessageChannel();
  try {
    port1.postMessage(error);
    return (receiveMessageOnPort(port2) as { readonly message: unknown } | undefined)?.message;
  } finally {
    port1.close();
    port2.close();
  }
}

const depthLimit = 5;

/** What most programs write to a log or a response. */
function plain(error: unknown, depth = 0): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { name, message, code, status, cause } = error as Readonly<Record<string, unknown>>;
  const fields = { name, message, code, status };
  return depth < depthLimit && cause !== undefined ? { ...fields, cause: plain(cause, depth + 1) } : fields;
}

export const crossings: Readonly<Record<string, (error: unknown) => unknown>> = {
  cloned,
  json: (error) => JSON.parse(JSON.stringify(plain(error) ?? null)) as unknown,
  wrapped: (error) => new Error('the tool did not work', { cause: error }),
  aggregated: (error) => new AggregateError([error], 'nothing worked'),
};
