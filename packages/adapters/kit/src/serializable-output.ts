/** Owns outputs that JSON cannot represent, such as a BigInt or a circular reference: frameworks print `[object Object]` or end the run. */
import { outputText } from '@holdfast/core/agent';

/** Returns the output unchanged if it can be serialized, else a text representation. */
export function toSerializable(output: unknown): unknown {
  try {
    JSON.stringify(output);
    return output;
  } catch {
    return outputText(output);
  }
}
