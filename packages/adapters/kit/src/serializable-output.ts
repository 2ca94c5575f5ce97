/** Owns output that JSON cannot tell, such as a BigInt or a circle: frameworks make `[object Object]` of it, or end the run. */
import { outputText } from '@holdfast/core/agent';

/** The same output where JSON can tell it, else words for what can be notified of it. */
export function toSerializable(output: unknown): unknown {
  try {
    JSON.stringify(output);
    return output;
  } catch {
    return outputText(output);
  }
}
