/** Splits text into deltas; like real providers, it never splits a character. */
export function cutAnswer(text: string, size = 12): readonly string[] {
  const letters = Array.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < letters.length; start += size) pieces.push(letters.slice(start, start + size).join(''));
  return pieces;
}

/** One event of a stream: its name, where the format has event names, and its data. */
export interface StreamEvent {
  readonly event?: string;
  /** Text is sent unchanged, everything else as JSON. */
  readonly data: unknown;
}
