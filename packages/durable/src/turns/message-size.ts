/** Owns the size limit of one message to Restate. Restate would retry a larger one for ever, including its tools: the turn fails at once instead. */
import { TerminalError } from '@restatedev/restate-sdk';

/** Restate's default limit is 32 MiB per message and turn, but an invocation near it (28 MB in a test) waits for memory for ever. */
export const MAX_BYTES: number = 16 * 1024 * 1024;
const TOO_LARGE = 413;

/** @throws TerminalError when the text is too large. */
export const fittingText = (text: string, what: string): string => {
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_BYTES) return text;
  const message = `${what} has ${bytes} bytes, but Restate's limit is ${MAX_BYTES}. Lower maxOutputChars of the tools, or make their outputs smaller.`;
  throw new TerminalError(message, { errorCode: TOO_LARGE });
};
