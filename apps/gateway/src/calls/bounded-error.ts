/** Owns keeping the protocol errors of servers small: they are read, redacted and passed on as a whole. */
import { isRpcError, rpcError } from '@holdfast/mcp-wire/server';
import { sizeWithin } from './wire-size.ts';

const maxMessageChars = 16_384;
const maxDataBytes = 65_536;

/** Returns the same error unless it is too large. */
export function boundedError(error: unknown): unknown {
  if (!isRpcError(error)) return error;
  const { code, message, data } = error;
  const isDataLarge = sizeWithin(data, maxDataBytes) > maxDataBytes;
  if (message.length <= maxMessageChars && !isDataLarge) return error;
  const text =
    message.length <= maxMessageChars ? message : `${message.slice(0, maxMessageChars)}… [truncated, ${message.length} characters]`;
  return rpcError(
    code,
    isDataLarge ? `${text} [The data of the error is too large to be passed on.]` : text,
    isDataLarge ? undefined : data,
  );
}
