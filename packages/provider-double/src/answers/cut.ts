/** Cuts text into deltas; a character is never halved, which no provider does. */
export function cutAnswer(text: string, size = 12): readonly string[] {
  const letters = Array.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < letters.length; start += size) pieces.push(letters.slice(start, start + size).join(''));
  return pieces;
}

/** One event of a stream: its name, where the format has names, and its data. */
export interface StreamEvent {
  readonly event?: string;
  /** Text is sent as it is, everything else as JSON. */
  readonly data: unknown;
}
