/**
 * Redirects what tools in this process print. Standard output is for results, and standard error for the live view, so a tool's
 * `console.log` becomes a note instead of corrupting either.
 */

type Write = typeof process.stdout.write;

/** Returns a function that stops it. `note` must write through an `OutputStream`, which uses the original `write`. */
export function redirectStrayOutput(
  note: (text: string) => void,
  streams: readonly NodeJS.WriteStream[] = [process.stdout, process.stderr],
): () => void {
  const restores = streams.map((stream) => {
    const original = stream.write.bind(stream) as Write;
    let rest = '';
    stream.write = ((chunk: string | Uint8Array, ...more: readonly unknown[]): boolean => {
      const lines = `${rest}${typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') note(line);
      const done = more.find((each) => typeof each === 'function') as (() => void) | undefined;
      if (done) process.nextTick(done);
      return true;
    }) as Write;
    return (): void => {
      stream.write = original;
      if (rest.trim() !== '') note(rest);
    };
  });
  return () => {
    for (const restore of restores) restore();
  };
}
