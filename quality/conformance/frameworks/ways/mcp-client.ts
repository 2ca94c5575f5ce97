/** Sends the calls of every MCP client through `reliableClient`. */
import { reliableClient } from '@holdfast/mcp';
import { Client } from '@modelcontextprotocol/client';

type CallTool = (this: object, ...args: unknown[]) => unknown;
const prototype = Client.prototype as unknown as { callTool: CallTool };
const { callTool } = prototype;
const wrapped = new WeakMap<object, { readonly callTool: CallTool }>();

/** The client with its own `callTool`. */
const bare = (client: object): object =>
  new Proxy(client, {
    get: (target, name) => {
      if (name === 'callTool') return callTool.bind(target);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

prototype.callTool = function (...args) {
  const reliable = wrapped.get(this) ?? (reliableClient(bare(this) as never) as unknown as { readonly callTool: CallTool });
  wrapped.set(this, reliable);
  return reliable.callTool(...args);
};
