/** Owns sending one request and telling what came of it in a form that the engine can classify. */
import { createRedactor, type Signal } from '@holdfast/core';
import type { ReceiverAddress, ReceiverRequest } from '../receivers/notification.ts';

/** Sends a request by POST. Rejects where it could not be sent; follows no redirection. */
export type Send = (request: ReceiverRequest, signal: Signal) => Promise<Response>;

export const fetchSend: Send = ({ url, headers, body }, signal) =>
  fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: signal as AbortSignal });

/** What is kept of an answer, for the delivery log. */
const longestReason = 200;
/** What is read of it. */
const mostBytes = 4_096;

/** Resolves when the receiver has taken it; rejects with the status and the headers that say when to come back. No text shows a secret. */
export async function deliver(send: Send, request: ReceiverRequest, address: ReceiverAddress, signal: Signal): Promise<void> {
  const redact = createRedactor({ secrets: secretsOf(address) });
  let answer: Response;
  try {
    answer = await send(request, signal);
  } catch (error) {
    throw unsent(error, redact);
  }
  const text = await beginning(answer);
  if (answer.ok) return;
  const reason = redact(text.replaceAll(/\s+/g, ' ').trim()).slice(0, longestReason);
  const message = `The receiver answered ${answer.status}${reason === '' ? '' : `: ${reason}`}`;
  const retryAfter = answer.headers.get('retry-after');
  throw Object.assign(new Error(message), { status: answer.status, headers: retryAfter === null ? {} : { 'retry-after': retryAfter } });
}

/** The error's code and causes are kept: they say what went wrong. */
function unsent(error: unknown, redact: (text: string) => string): unknown {
  const { cause } = error as { readonly cause?: { readonly code?: unknown; readonly message?: unknown } };
  const code = cause?.code ?? (error as { readonly code?: unknown }).code;
  const words = [error instanceof Error ? error.message : String(error), typeof cause?.message === 'string' ? cause.message : '']
    .filter((text) => text !== '')
    .join(': ');
  const told = Object.assign(new Error(redact(words)), typeof code === 'string' ? { code } : {});
  told.name = error instanceof Error ? error.name : 'Error';
  return told;
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
    while (reader && bytes < mostBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.byteLength;
      text += decoder.decode(value, { stream: true });
    }
    await reader?.cancel();
  } catch {
    // The status was there; what it says beyond it is of no matter.
  }
  return text;
}
