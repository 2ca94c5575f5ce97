/**
 * Owns messages as lines over the standard streams of a server. Does not own the process.
 *
 * Invariants
 * 1. A line that is not a message is skipped; an answer that is cut off fails its request.
 * 2. A message over the limit fails the request that it answers, or every request if that is unknown; the link stays open.
 * 3. Messages of one turn of the event loop are written together, and nothing is written while the server does not read.
 */
import { checkOptions, type OptionKinds } from '../../check-options.ts';
import type { Readable, Writable } from 'node:stream';
import type { LinkListener, MessageLink } from '../link.ts';
import { MessageQueue, type MessageTaker } from '../message-queue.ts';
import { tooLarge, wireError } from '../wire-error.ts';
import { type LineListener, lineReader } from './line-reader.ts';
import { membersOf } from './oversized-message.ts';

/** Settings of a link over a server's standard streams. */
export interface StdioLinkOptions {
  /** Standard input of the server. */
  readonly input: Writable;
  /** Standard output of the server. */
  readonly output: Readable;
  /** Resolves when the server has ended. */
  readonly ended: Promise<unknown>;
  /** Ends the server. */
  readonly close: () => Promise<void>;
  /** Maximum size of one message. */
  readonly maxMessageBytes: number;
}

const linkKinds: OptionKinds<StdioLinkOptions> = {
  input: 'object',
  output: 'object',
  ended: 'object',
  close: 'function',
  maxMessageBytes: 'amount',
};

/** Creates a link over the standard streams of a running server. Messages are lines of JSON. */
export function stdioLink(options: StdioLinkOptions): MessageLink {
  checkOptions(linkKinds, options, 'stdioLink', ['input', 'output', 'ended', 'close', 'maxMessageBytes']);
  const { input, output, ended, close, maxMessageBytes } = options;
  let isOver = false;
  let unsent = '';
  let stray = '';
  const flush = (): void => {
    if (isOver) return;
    if (input.writableNeedDrain) return void input.once('drain', flush);
    const text = unsent;
    unsent = '';
    input.write(text);
  };
  const write = (message: object): void => {
    const line = JSON.stringify(message);
    if (unsent === '') setImmediate(flush);
    unsent += `${line}\n`;
  };
  return {
    hasStreams: false,
    start(listener) {
      const messages = new MessageQueue({ pause: () => output.pause(), resume: () => output.resume() });
      const onStray = (text: string): void => {
        if (stray.length < 300) stray = `${stray}${text}\n`.slice(0, 300);
      };
      const read = lineReader(maxMessageBytes, linesOf(listener, { maxMessageBytes, messages, onStray }));
      output.on('data', (chunk: Buffer) => {
        messages.begin();
        read(chunk);
      });
      output.on('error', () => {});
      input.on('error', () => {});
      const onEnd = (): void => {
        isOver = true;
        messages.after(() => listener.ended());
      };
      ended.then(onEnd, onEnd);
    },
    setVersion() {},
    request: write,
    send(message) {
      if (isOver) return Promise.reject(wireError('NOT_CONNECTED', 'Not connected: the server has ended'));
      write(message);
      return Promise.resolve();
    },
    abandon() {},
    stray: () => stray.trim(),
    close,
  };
}

/** What starts like a message, and has an answer. */
const isCutOff = /^\s*\{\s*"(?:jsonrpc|id)"/;

interface LineOptions {
  readonly maxMessageBytes: number;
  readonly messages: MessageQueue;
  readonly onStray: (text: string) => void;
}

function linesOf(listener: LinkListener, { maxMessageBytes, messages, onStray }: LineOptions): LineListener {
  let isReported = false;
  const reportTooLarge = (id: string | undefined): void =>
    listener.lost(id === undefined ? undefined : Number(id), tooLarge(maxMessageBytes));
  const reportCutOff = (text: string): void => {
    const { id, hasMethod } = membersOf(text.slice(0, 1024), 'head');
    if (id !== undefined && !hasMethod)
      listener.lost(Number(id), wireError('INVALID_ANSWER', `The answer is not JSON: it ends with ${text.slice(-40)}`));
  };
  const taker: MessageTaker = {
    message: (message) => listener.message(message, undefined),
    end(isJson, text) {
      if (isJson) return;
      if (isCutOff.test(text.slice(0, 1024))) reportCutOff(text);
      else onStray(text.slice(0, 300));
    },
  };
  const overlong = (head: string): void => {
    const { id, hasMethod } = membersOf(head, 'head');
    isReported = hasMethod || id !== undefined;
    if (id !== undefined && !hasMethod) reportTooLarge(id);
  };
  const overlongEnd = (tail: string): void => {
    if (isReported) return;
    const { id, hasMethod } = membersOf(tail, 'tail');
    if (!hasMethod) reportTooLarge(id);
  };
  return {
    line: (text) => messages.add(text, taker),
    overlong: (head) => messages.after(() => overlong(head)),
    overlongEnd: (tail) => messages.after(() => overlongEnd(tail)),
  };
}
