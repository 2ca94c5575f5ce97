/** Owns how texts lie in Restate's journal: as they are, named as the JSON that they hold. */
import type { Serde } from '@restatedev/restate-sdk';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const TEXT_TYPE = 'application/json';

export const textSerde: Serde<string> = {
  contentType: TEXT_TYPE,
  serialize: (text) => encoder.encode(text),
  deserialize: (bytes) => decoder.decode(bytes),
};
