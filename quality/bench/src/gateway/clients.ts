/** Owns the clients of the gateway case: each acts as a legacy host over one transport, without a library. */
import { Agent, get, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Readable, Writable } from 'node:stream';

export interface EchoClient {
  /** Calls the tool and resolves with its answer; rejects if the answer is not the input. */
  echo(): Promise<void>;
  close(): void;
}

type Ask = (method: string, params: object) => Promise<Answer>;

interface Answer {
  readonly id?: number | string;
  readonly result?: { readonly content?: readonly { readonly text?: string }[]; readonly tools?: readonly { readonly name: string }[] };
  readonly error?: { readonly message: string };
}

/** As long as a short argument. */
const text = 'sixteen letters.';

/** Initializes the session, finds the tool, and creates the caller. */
async function initialize(ask: Ask, notify: (method: string) => Promise<void>): Promise<() => Promise<void>> {
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } });
  await notify('notifications/initialized');
  let name: string | undefined;
  for (let tries = 0; name === undefined && tries < 20; tries += 1) {
    const { result } = await ask('tools/list', {});
    // Some add the server's name as a prefix.
    name = result?.tools?.map((tool) => tool.name).find((known) => /(^|_)echo$/.test(known));
    if (name === undefined) await new Promise((resolve) => setTimeout(resolve, 100));
  }
  if (name === undefined) throw new Error('The tool is not listed.');
  const params = { name, arguments: { message: text } };
  return async () => {
    const { result, error } = await ask('tools/call', params);
    if (result?.content?.[0]?.text !== text) throw new Error(`The answer is ${JSON.stringify(error ?? result)}.`);
  };
}

/** Keeps the pending requests by id. */
function pendingRequests(): { readonly next: () => { id: number; answered: Promise<Answer> }; readonly settle: (answer: Answer) => void } {
  const waiting = new Map<number | string, (answer: Answer) => void>();
  let last = 0;
  return {
    next() {
      last += 1;
      const id = last;
      return { id, answered: new Promise((resolve) => waiting.set(id, resolve)) };
    },
    settle(answer) {
      if (answer.id === undefined) return;
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
    },
  };
}

export async function stdioClient(input: Writable, output: Readable): Promise<EchoClient> {
  const { next, settle } = pendingRequests();
  let rest = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('{')) settle(JSON.parse(line) as Answer);
  });
  const send = (message: object): void => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask: Ask = (method, params) => {
    const { id, answered } = next();
    send({ id, method, params });
    return answered;
  };
  const notify = async (method: string): Promise<void> => {
    send({ method });
  };
  return { echo: await initialize(ask, notify), close: () => input.end() };
}

export async function httpClient(url: string): Promise<EchoClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let session: string | undefined;
  let last = 0;
  const post = (message: object): Promise<string> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: '2.0', ...message });
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        accept: 'application/json, text/event-stream',
        ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
      };
      const take = (response: IncomingMessage): void => {
        session ??= response.headers['mcp-session-id'] as string | undefined;
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => {
          resolve(text);
        });
      };
      httpRequest(url, { method: 'POST', agent, headers }, take).on('error', reject).end(body);
    });
  const ask: Ask = async (method, params) => {
    last += 1;
    return read(await post({ id: last, method, params }));
  };
  const notify = async (method: string): Promise<void> => void (await post({ method }));
  return { echo: await initialize(ask, notify), close: () => agent.destroy() };
}

/** The answer, as JSON or as the last event of a stream. */
function read(text: string): Answer {
  if (text.startsWith('{')) return JSON.parse(text) as Answer;
  const data = text.split('\n').findLast((line) => line.startsWith('data: {'));
  if (data === undefined) throw new Error(`No answer in: ${text.slice(0, 200)}`);
  return JSON.parse(data.slice(6)) as Answer;
}

/** The older HTTP+SSE transport: answers arrive on the stream, whatever was posted. */
export async function sseClient(url: string): Promise<EchoClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const { next, settle } = pendingRequests();
  let stream: IncomingMessage | undefined;
  const endpoint = await new Promise<string>((resolve, reject) => {
    get(url, { headers: { accept: 'text/event-stream' } }, (response) => {
      stream = response;
      response.on('close', () => {
        reject(new Error(`The stream (HTTP ${response.statusCode}) has ended.`));
      });
      let rest = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const events = (rest + chunk).split('\n\n');
        rest = events.pop() ?? '';
        for (const event of events) {
          const data = /^data: (.*)$/m.exec(event)?.[1] ?? '';
          if (event.startsWith('event: endpoint')) resolve(new URL(data, url).href);
          else if (data.startsWith('{')) settle(JSON.parse(data) as Answer);
        }
      });
    }).on('error', reject);
  });
  const post = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    httpRequest(endpoint, { method: 'POST', agent, headers }, (response) => response.resume()).end(body);
  };
  const ask: Ask = (method, params) => {
    const { id, answered } = next();
    post({ id, method, params });
    return answered;
  };
  const notify = async (method: string): Promise<void> => {
    post({ method });
  };
  const close = (): void => {
    stream?.destroy();
    agent.destroy();
  };
  try {
    return { echo: await initialize(ask, notify), close };
  } catch (error) {
    // Earlier events may be missing on this stream, but not on the next one.
    close();
    throw error;
  }
}
