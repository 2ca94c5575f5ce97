/** Owns sending one request and reporting the outcome in a form that the engine can classify. */
import { createRedactor, type Signal } from '@holdfast/core';
import type { ReceiverAddress, ReceiverRequest } from '../receivers/notification.ts';

/** Sends a POST request. Rejects if it could not be sent. Follows no redirect. */
export type Send = (request: ReceiverRequest, signal: Signal) => Promise<Response>;

export const fetchSend: Send = ({ url, headers, body }, signal) =>
  fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: signal as AbortSignal });

/** Most characters of a response body in the delivery log. */
const maxReasonLength = 200;
/** Most bytes that are read of it. */
const maxBytes = 4_096;

/** Resolves when the receiver has accepted it. Rejects with the status and the headers, such as `retry-after`. No text contains a secret. */
export async function deliver(send: Send, request: ReceiverRequest, address: ReceiverAddress, signal: Signal): Promise<void> {
  const redact = createRedactor({ secrets: secretsOf(address) });
  let answer: Response;
  try {
    answer = await send(request, signal);
  } catch (error) {
    throw sendError(error, redact);
  }
  const text = await beginning(answer);
  if (answer.ok) return;
  const reason = redact(text.replaceAll(/\s+/g, ' ').trim()).slice(0, maxReasonLength);
  const message = `The receiver answered ${answer.status}${reason === '' ? '' : `: ${reason}`}`;
  const retryAfter = answer.headers.get('retry-after');
  throw Object.assign(new Error(message), { status: answer.status, headers: retryAfter === null ? {} : { 'retry-after': retryAfter } });
}

/** Keeps the error's code and causes, which classify it. */
function sendError(error: unknown, redact: (text: string) => string): unknown {
  const { cause } = error as { readonly cause?: { readonly code?: unknown; readonly message?: unknown } };
  const code = cause?.code ?? (error as { readonly code?: unknown }).code;
  const words = [error instanceof Error ? error.message : String(error), typeof cause?.message === 'string' ? cause.message : '']
    .filter((text) => text !== '')
    .join(': ');
  const failure = Object.assign(new Error(redact(words)), typeof code === 'string' ? { code } : {});
  failure.name = error instanceof Error ? error.name : 'Error';
  return failure;
}

function secretsOf({ url, headers = {}, secret, routingKey }: ReceiverAddress): readonly string[] {
  const values = [secret, routingKey, ...Object.values(headers), ...pathsOf(url)];
  return values.filter((value) => value !== undefined && value.length > 3) as readonly string[];
}

/** An address may be the secret itself, as Slack's is. */
function pathsOf(text: string): readonly string[] {
  if (!URL.canParse(text)) return [text];
  const { pathname, search, username, password } = new URL(text);
  return [text, pathname.length > 8 ? pathname : '', search, username, password];
}

async function beginning(answer: Response): Promise<string> {
  const reader = answer.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    while (reader && bytes < maxBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.byteLength;
      text += decoder.decode(value, { stream: true });
    }
    await reader?.cancel();
  } catch {
    // The status is known; the body is not needed.
  }
  return text;
}
