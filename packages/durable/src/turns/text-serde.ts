/** Owns the serialization of texts in Restate's journal: unchanged, with the content type of the JSON they contain. */
import type { Serde } from '@restatedev/restate-sdk';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const TEXT_TYPE = 'application/json';

export const textSerde: Serde<string> = {
  contentType: TEXT_TYPE,
  serialize: (text) => encoder.encode(text),
  deserialize: (bytes) => decoder.decode(bytes),
};
