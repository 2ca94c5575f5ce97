/** Owns how the body of a request is forwarded: buffered if it may need a repair, otherwise as a stream. */

export type OutgoingBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  | { readonly kind: 'stream'; readonly stream: ReadableStream<Uint8Array> }
  | { readonly kind: 'too-large' };

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Reads a JSON body up to the limit; streams all others. */
export async function outgoingBody(request: Request, limit: number): Promise<OutgoingBody> {
  const { body, headers } = request;
  if (body === null) return { kind: 'none' };
  const type = headers.get('content-type') ?? '';
  const isJson = type === '' || /\bjson\b/i.test(type);
  const reader = body.getReader();
  return request.method !== 'POST' || !isJson || headers.has('content-encoding') ? streamBody(reader) : readWhole(reader, limit);
}

/**
 * A server provides a stream even without a body: then no body is forwarded, not an empty one. Stopping to read does not cancel what the server
 * reads from the socket: the server does that itself, once the request is answered.
 */
async function streamBody(reader: Reader): Promise<OutgoingBody> {
  const first = await reader.read();
  if (first.done) return { kind: 'none' };
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(first.value),
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  return { kind: 'stream', stream };
}

async function readWhole(reader: Reader, limit: number): Promise<OutgoingBody> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length <= limit) pieces.push(value);
    else pieces.length = 0;
    // A client that is still sending does not read the answer: it may finish, up to twice the limit.
    if (length > 2 * limit) break;
  }
  if (length > limit) return { kind: 'too-large' };
  const [only] = pieces;
  if (only === undefined) return { kind: 'none' };
  return { kind: 'whole', bytes: pieces.length === 1 ? only : Buffer.concat(pieces, length) };
}

const maxErrorChars = 256 * 1_024;

/** Reads the start of an error's text, up to a limit. */
export async function errorText(body: ReadableStream<Uint8Array>): Promise<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (text.length < maxErrorChars) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
  }
  reader.cancel().catch(() => undefined);
  return text;
}
