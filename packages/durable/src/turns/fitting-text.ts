/** Owns how much one message to Restate may hold. What holds more would be tried again for ever, tools and all: the turn fails at once instead. */
import { TerminalError } from '@restatedev/restate-sdk';

/** Restate takes 32 MiB a message and a turn, as it comes; an invocation that comes near to it (28 MB did) waits for memory for ever. */
export const MOST_BYTES: number = 16 * 1024 * 1024;
const TOO_LARGE = 413;

/** @throws TerminalError when the text is too large. */
export const fittingText = (text: string, what: string): string => {
  const bytes = Buffer.byteLength(text);
  if (bytes <= MOST_BYTES) return text;
  const message = `${what} comes to ${bytes} bytes, and Restate takes ${MOST_BYTES}. Lower maxOutputChars of the tools, or have them answer less.`;
  throw new TerminalError(message, { errorCode: TOO_LARGE });
};
