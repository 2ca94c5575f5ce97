/** Owns the choice between the two formats, by the request's `Accept`. */

interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** OpenMetrics if it is accepted by name and no other type has a higher weight. */
export function wantsOpenMetrics(accept: string | null): boolean {
  const ranges = (accept ?? '').slice(0, 2000).split(',').map(readRange);
  const openMetrics = bestOf(ranges.filter(({ type, parameters }) => type === 'application/openmetrics-text' && isSpoken(parameters)));
  const plain = bestOf(ranges.filter(({ type }) => type === 'text/plain'));
  return openMetrics > 0 && openMetrics >= plain;
}

/** Version 0.0.1 was the draft of 1.0.0. */
const isSpoken = (parameters: ReadonlyMap<string, string>): boolean => ['1.0.0', '0.0.1'].includes(parameters.get('version') ?? '1.0.0');

const bestOf = (ranges: readonly MediaRange[]): number => Math.max(0, ...ranges.map(({ quality }) => quality));

function readRange(text: string): MediaRange {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim().toLowerCase());
  const parameters = new Map(
    rest.map((part) => {
      const [name = '', value = ''] = part.split('=', 2);
      return [name.trim(), value.trim().replaceAll('"', '')];
    }),
  );
  const quality = Number(parameters.get('q') ?? 1);
  return { type, parameters, quality: Number.isNaN(quality) ? 0 : quality };
}
