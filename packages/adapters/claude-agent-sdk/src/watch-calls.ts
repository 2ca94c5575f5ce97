/**
 * Owns the calls of a server that the SDK would refuse for their arguments: they are answered by the run, field by field, and counted. All others are left to the SDK.
 *
 * Invariants
 * 1. A call gets one answer, and no tool is run here.
 * 2. The SDK sees a call before its cancellation.
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
    /** Calls that are being looked at, and what was said about them meanwhile. */
    const held = new Map<unknown, (() => void)[]>();
    transport.onmessage = (message, extra) => {
      const pass = (): void => receive?.(message, extra);
      const call = callIn(message);
      const meanwhile = call ? undefined : held.get(cancelledIn(message));
      if (!call) return meanwhile ? void meanwhile.push(pass) : pass();
      held.set(call.id, []);
      const go = (result: object | undefined): void => {
        if (result) void transport.send({ jsonrpc: '2.0', id: call.id, result } as never).catch(() => undefined);
        else for (const each of [pass, ...(held.get(call.id) ?? [])]) each();
        held.delete(call.id);
      };
      void refuse(call.params, String(call.id)).then(go, () => go(undefined));
    };
  };
}

/** The id of the call that a message cancels. */
function cancelledIn(message: unknown): unknown {
  const { method, params } = Object(message) as { readonly method?: unknown; readonly params?: unknown };
  return method === 'notifications/cancelled' ? (Object(params) as { readonly requestId?: unknown }).requestId : undefined;
}

function callIn(message: unknown): CallMessage | undefined {
  const { method, id, params } = Object(message) as { readonly method?: unknown; readonly id?: unknown; readonly params?: unknown };
  const isCall = method === 'tools/call' && (typeof id === 'string' || typeof id === 'number');
  const { name } = Object(params) as { readonly name?: unknown };
  return isCall && typeof name === 'string' ? { id, params: params as CallMessage['params'] } : undefined;
}
