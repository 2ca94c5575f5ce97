/**
 * Owns what tools inside this process print. Standard output belongs to the results and the live view to standard error, so a tool's
 * `console.log` becomes a remark instead of damaging either.
 */

type Write = typeof process.stdout.write;

/** Answers how to stop. `remark` must write through an outlet, which holds the real `write`. */
export function redirectStrayOutput(
  remark: (text: string) => void,
  streams: readonly NodeJS.WriteStream[] = [process.stdout, process.stderr],
): () => void {
  const restores = streams.map((stream) => {
    const original = stream.write.bind(stream) as Write;
    let rest = '';
    stream.write = ((chunk: string | Uint8Array, ...more: readonly unknown[]): boolean => {
      const lines = `${rest}${typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') remark(line);
      const done = more.find((each) => typeof each === 'function') as (() => void) | undefined;
      if (done) process.nextTick(done);
      return true;
    }) as Write;
    return (): void => {
      stream.write = original;
      if (rest.trim() !== '') remark(rest);
    };
  });
  return () => {
    for (const restore of restores) restore();
  };
}
