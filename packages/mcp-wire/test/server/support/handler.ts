/** Owns a handler that records its requests, with methods that show the behaviour of a transport. */
import {
  type ConnectedClient,
  type ClientRequest,
  type JsonObject,
  type LogLevel,
  rpcError,
  type ServerHandler,
} from '@holdfast/mcp-wire/server';

export interface RecordingHandler extends ServerHandler {
  readonly requests: ClientRequest[];
  readonly notifications: { readonly method: string; readonly params: JsonObject }[];
  readonly gone: ConnectedClient[];
  readonly resumed: ConnectedClient[];
  readonly levels: (LogLevel | undefined)[];
  /** Currently watched resources. */
  readonly watched: string[];
  /** Resolves when a request of this method or tool has been aborted. */
  aborted(name: string): Promise<void>;
  /** Lets the tool `wait` end. */
  release(): void;
}

const textResult = (text: string): JsonObject => ({ content: [{ type: 'text', text }] });

const listed = ['echo', 'progress', 'log', 'ask', 'wait', 'break', 'refuse', 'big', 'unwritable'].map((name) => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  'x-kept': { anything: [1, null] },
}));

export function recordingHandler(): RecordingHandler {
  const aborts = new Map<string, () => void>();
  const abortions = new Map<string, Promise<void>>();
  const aborted = (name: string): Promise<void> => {
    const known = abortions.get(name);
    if (known !== undefined) return known;
    const promise = new Promise<void>((resolve) => aborts.set(name, resolve));
    abortions.set(name, promise);
    return promise;
  };
  let releases: (() => void)[] = [];
  const handler: RecordingHandler = {
    requests: [],
    notifications: [],
    gone: [],
    resumed: [],
    levels: [],
    watched: [],
    aborted,
    release() {
      for (const release of releases) release();
      releases = [];
    },
    describe: () => ({
      serverInfo: { name: 'seen', version: '1.0.0' },
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} },
      instructions: 'Be kind',
    }),
    async handle(request) {
      handler.requests.push(request);
      if (request.method === 'tools/list') return { tools: listed, 'x-list': true };
      if (request.method === 'resources/read') throw rpcError(-32_002, 'Resource not found', { uri: request.params['uri'] });
      if (request.method !== 'tools/call') throw rpcError(-32_601, `Method not found: ${request.method}`);
      const name = request.params['name'] as string;
      request.signal.addEventListener('abort', () => {
        void aborted(name);
        aborts.get(name)?.();
      });
      return await call(name, request, (release) => releases.push(release));
    },
    notified: (method, params) => void handler.notifications.push({ method, params }),
    async watchResource(uri) {
      if (uri.startsWith('secret:')) throw rpcError(-32_602, 'Not that one');
      handler.watched.push(uri);
      return () => void handler.watched.splice(handler.watched.indexOf(uri), 1);
    },
    logLevelChanged: (level) => void handler.levels.push(level),
    clientResumed: (client) => void handler.resumed.push(client),
    clientGone: (client) => void handler.gone.push(client),
  };
  return handler;
}

async function call(name: string, request: ClientRequest, onRelease: (release: () => void) => void): Promise<JsonObject> {
  const args = (request.params['arguments'] ?? {}) as JsonObject;
  switch (name) {
    case 'echo':
      return { ...textResult(JSON.stringify(args)), 'x-result': 'kept' };
    case 'progress':
      for (const progress of [1, 2, 3]) request.reportProgress({ progress, total: 3, message: `step ${progress}` });
      return textResult('done');
    case 'log':
      request.notify('notifications/message', { level: 'debug', data: 'quiet' });
      request.notify('notifications/message', { level: 'error', data: 'loud' });
      return textResult('done');
    case 'ask': {
      const answer = await request.ask('elicitation/create', { message: 'Name?', requestedSchema: { type: 'object', properties: {} } });
      return textResult(JSON.stringify(answer));
    }
    case 'wait':
      await new Promise<void>((resolve, reject) => {
        onRelease(resolve);
        request.signal.addEventListener('abort', () => reject(request.signal.reason as Error));
      });
      return textResult('released');
    case 'progress-and-wait':
      request.reportProgress({ progress: 1 });
      await new Promise<void>((resolve, reject) => {
        onRelease(resolve);
        request.signal.addEventListener('abort', () => reject(request.signal.reason as Error));
      });
      return textResult('released');
    case 'break':
      throw new Error('password=hunter2 at /srv/secret.ts:1');
    case 'cyclic': {
      const data: Record<string, unknown> = {};
      data['self'] = data;
      throw rpcError(-32_602, 'Round and round', data);
    }
    case 'refuse':
      throw rpcError(-32_602, 'Unknown tool', { why: 'because' });
    case 'big':
      return textResult('x'.repeat(args['length'] as number));
    case 'unwritable':
      return { content: [], count: 1n };
    default:
      throw rpcError(-32_602, `Unknown tool: ${name}`);
  }
}
