/** Owns how a request's body goes on: whole where a repair may need it, else as it flows. */

export type OutgoingBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  | { readonly kind: 'stream'; readonly stream: ReadableStream<Uint8Array> }
  | { readonly kind: 'too-large' };

/** A body of JSON is read up to the limit; all others flow through. */
export async function outgoingBody(request: Request, limit: number): Promise<OutgoingBody> {
  const { body, headers } = request;
  if (body === null) return { kind: 'none' };
  const type = headers.get('content-type') ?? '';
  const isJson = type === '' || /\bjson\b/i.test(type);
  if (request.method !== 'POST' || !isJson || headers.has('content-encoding')) return { kind: 'stream', stream: body };
  if (Number(headers.get('content-length') ?? 0) > limit) {
    await body.cancel().catch(() => undefined);
    return { kind: 'too-large' };
  }
  return whole(body, limit);
}

async function whole(body: ReadableStream<Uint8Array>, limit: number): Promise<OutgoingBody> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > limit) {
      reader.cancel().catch(() => undefined);
      return { kind: 'too-large' };
    }
    pieces.push(value);
  }
  const [only] = pieces;
  if (only === undefined) return { kind: 'none' };
  return { kind: 'whole', bytes: pieces.length === 1 ? only : Buffer.concat(pieces, length) };
}

const longestError = 256 * 1_024;

/** The beginning of an error's text: what is longer tells nobody anything. */
export async function errorText(body: ReadableStream<Uint8Array>): Promise<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (text.length < longestError) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
  }
  reader.cancel().catch(() => undefined);
  return text;
}
