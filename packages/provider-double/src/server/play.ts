/** Sends an answer, whole or as a stream split as the turn specifies. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { chatBody, chatEvents } from '../answers/chat.ts';
import { converseBody, converseEvents } from '../answers/converse.ts';
import type { StreamEvent } from '../answers/cut.ts';
import { geminiBody, geminiEvents } from '../answers/gemini.ts';
import { messagesBody, messagesEvents } from '../answers/messages.ts';
import { responseBody, responseEvents, type OutputItem } from '../answers/responses.ts';
import type { NeutralRequest } from '../neutral/neutral-request.ts';
import type { Answer } from '../script/answer.ts';
import type { Chunking } from '../script/scripted-turn.ts';
import { eventStreamFrame, serverSentEvent } from './event-stream.ts';

export interface Sending {
  readonly format: NeutralRequest['format'];
  readonly answer: Answer;
  /** Responses only. */
  readonly items: readonly OutputItem[];
  /** Chat Completions: the stream closes with the usage. */
  readonly includeUsage: boolean;
}

export function wholeBody({ format, answer, items }: Sending): unknown {
  switch (format) {
    case 'openai-chat':
      return chatBody(answer);
    case 'openai-responses':
      return responseBody(answer, items);
    case 'anthropic-messages':
      return messagesBody(answer);
    case 'gemini':
      return geminiBody(answer);
    case 'bedrock-converse':
      return converseBody(answer);
  }
}

function eventsOf({ format, answer, items, includeUsage }: Sending): readonly StreamEvent[] {
  switch (format) {
    case 'openai-chat':
      return chatEvents(answer, includeUsage);
    case 'openai-responses':
      return responseEvents(answer, items);
    case 'anthropic-messages':
      return messagesEvents(answer);
    case 'gemini':
      return geminiEvents(answer);
    case 'bedrock-converse':
      return converseEvents(answer);
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function write(response: ServerResponse, frames: readonly Buffer[], bytes: number | undefined): Promise<void> {
  const whole = bytes === undefined ? frames : [Buffer.concat(frames)];
  for (const frame of whole) {
    const step = bytes ?? frame.length;
    for (let start = 0; start < frame.length; start += step) {
      if (response.destroyed) return;
      if (!response.write(frame.subarray(start, start + step))) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      // Each piece is sent separately.
      if (bytes !== undefined) await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

export async function sendStream(response: ServerResponse, sending: Sending, chunking: Chunking): Promise<void> {
  const binary = sending.format === 'bedrock-converse';
  const events = eventsOf(sending).slice(0, chunking.closeAfter ?? Number.POSITIVE_INFINITY);
  response.writeHead(200, { 'content-type': binary ? 'application/vnd.amazon.eventstream' : 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
  await write(response, events.map(binary ? eventStreamFrame : serverSentEvent), chunking.bytes);
  if (chunking.closeAfter === undefined) return void response.end();
  // The written data arrives; the end does not.
  await new Promise((resolve) => setImmediate(resolve));
  response.socket?.end();
}
