/** The turns that the tests run: enough of each kind that every screen has data. */

export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly args?: unknown;
  readonly depends_on?: readonly string[];
  readonly optional?: boolean;
  readonly critical?: boolean;
  readonly defaults?: Readonly<Record<string, unknown>>;
}

export interface Turn {
  readonly id: string;
  readonly timeout_ms?: number;
  readonly concurrency?: number;
  readonly calls: readonly Call[];
}

/** A trip whose flight search fails: dependent calls are skipped, calls with a default continue. */
const trip = (number: number): Turn => ({
  id: `trip-${number}`,
  timeout_ms: 20_000,
  calls: [
    { id: 'place', tool: 'geocode', args: { place: 'Lisbon' } },
    { id: 'weather', tool: 'weather', args: { city: 'Lisbon' }, depends_on: ['place'] },
    { id: 'flights', tool: 'flight_search', args: { from: 'OSL', to: 'LIS' }, depends_on: ['place'] },
    { id: 'hotels', tool: 'hotel_search', args: { city: 'Lisbon' }, depends_on: ['place'] },
    { id: 'book', tool: 'book_flight', args: { offer: { $from: 'flights', path: 'offers' } }, optional: true },
    { id: 'confirm', tool: 'search_docs', args: { booking: { $from: 'book' } }, optional: true },
    {
      id: 'plan',
      tool: 'itinerary',
      args: { hotels: { $from: 'hotels' }, flights: { $from: 'flights' } },
      defaults: { flights: { offers: [] } },
      critical: true,
    },
  ],
});

const single = (id: string, tool: string, args: unknown = {}): Turn => ({ id, calls: [{ id: 'only', tool, args }] });
const times = (count: number, make: (number: number) => Turn): readonly Turn[] => Array.from({ length: count }, (_, at) => make(at + 1));

/** Turns to run one after the other. */
export const turns: readonly Turn[] = [
  ...times(30, (number) => single(`docs-${number}`, 'search_docs', { query: 'retry' })),
  ...times(3, trip),
  ...times(12, (number) => single(`weather-${number}`, 'weather')),
  ...times(4, (number) => single(`places-${number}`, 'geocode', { place: 'Atlantis' })),
  ...times(2, (number) => single(`book-${number}`, 'book_flight')),
  ...times(4, (number) => single(`translate-${number}`, 'translate')),
  ...times(2, (number) => single(`injection-${number}`, 'injection')),
  ...times(24, (number) => single(`flight-${number}`, 'flight_search')),
  { id: 'late', timeout_ms: 200, calls: [{ id: 'slow', tool: 'report', args: { ms: 900 } }, ...(single('', 'search_docs').calls ?? [])] },
];

/** A turn of about 5,000 spans: 1,000 calls with four attempts each. */
export const longTurn: Turn = {
  id: 'long',
  timeout_ms: 120_000,
  concurrency: 20,
  calls: Array.from({ length: 1_000 }, (_, at) => ({ id: `step-${String(at + 1).padStart(4, '0')}`, tool: 'batch_step' })),
};

export async function runTurns(url: string, wanted: readonly Turn[]): Promise<void> {
  for (const turn of wanted) {
    const response = await fetch(new URL('/v1/turns', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(turn),
    });
    if (!response.ok) throw new Error(`${turn.id}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  }
}
