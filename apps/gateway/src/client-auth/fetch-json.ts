/**
 * Owns requests to an authorization server.
 *
 * Invariant: a request ends within its limit, follows no redirect, and reads no more than its limit, whatever the server does.
 */
const limitMs = 5_000;
const maxBytes = 1_000_000;

/** Rejects with an error that names the address. */
export async function fetchJson(url: string, init: RequestInit = {}): Promise<unknown> {
  try {
    const response = await fetch(url, {
      ...init,
      headers: { accept: 'application/json', ...(init.headers as Record<string, string> | undefined) },
      redirect: 'error',
      signal: AbortSignal.timeout(limitMs),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`HTTP ${response.status}`);
    }
    return JSON.parse(await readText(response)) as unknown;
  } catch (error) {
    throw new Error(`${url} cannot be read: ${String((error as Error).message)}`, { cause: error });
  }
}

async function readText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.byteLength;
    if (size > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
