/**
 * Owns the calls of a server that the SDK would refuse for their arguments: they are answered by the run, field by field, and counted. All others are left to the SDK.
 *
 * Invariant: a call gets one answer, and no tool is run here.
 */
import type { McpSdkServerConfigWithInstance } from '@anthropic-ai/claude-agent-sdk';

type Server = McpSdkServerConfigWithInstance['instance'];
type Transport = Parameters<Server['connect']>[0];

interface CallMessage {
  readonly id: string | number;
  readonly params: { readonly name: string; readonly arguments?: unknown };
}

/** Answers a call that must not be run; `undefined` for one that may. */
export type Refuse = (call: CallMessage['params'], id: string) => Promise<object | undefined>;

/** Lets `refuse` see every call before the SDK does. The server is changed: it belongs to one run. */
export function watchCalls(server: Server, refuse: Refuse): void {
  const connect = server.connect.bind(server);
  server.connect = async (transport: Transport) => {
    await connect(transport);
    const receive = transport.onmessage;
    transport.onmessage = (message, extra) => {
      const call = callIn(message);
      if (!call) return receive?.(message, extra);
      void refuse(call.params, String(call.id)).then(
        (result) => (result ? transport.send({ jsonrpc: '2.0', id: call.id, result } as never) : receive?.(message, extra)),
        () => receive?.(message, extra),
      );
    };
  };
}

function callIn(message: unknown): CallMessage | undefined {
  const { method, id, params } = Object(message) as { readonly method?: unknown; readonly id?: unknown; readonly params?: unknown };
  const isCall = method === 'tools/call' && (typeof id === 'string' || typeof id === 'number');
  const { name } = Object(params) as { readonly name?: unknown };
  return isCall && typeof name === 'string' ? { id, params: params as CallMessage['params'] } : undefined;
}
