/** The turns that the tests run: enough of each kind that every screen has data. */

export interface Call {
  readonly call_id: string;
  readonly tool_id: string;
  readonly arguments?: unknown;
  readonly depends_on?: readonly string[];
  readonly optional?: boolean;
  readonly critical?: boolean;
  readonly defaults?: Readonly<Record<string, unknown>>;
}

export interface Turn {
  readonly turn_id: string;
  readonly timeout_ms?: number;
  readonly concurrency?: number;
  readonly calls: readonly Call[];
}

/** A trip whose flight search fails: dependent calls are skipped, calls with a default continue. */
const trip = (number: number): Turn => ({
  turn_id: `trip-${number}`,
  timeout_ms: 20_000,
  calls: [
    { call_id: 'place', tool_id: 'geocode', arguments: { place: 'Lisbon' } },
    { call_id: 'weather', tool_id: 'weather', arguments: { city: 'Lisbon' }, depends_on: ['place'] },
    { call_id: 'flights', tool_id: 'flight_search', arguments: { from: 'OSL', to: 'LIS' }, depends_on: ['place'] },
    { call_id: 'hotels', tool_id: 'hotel_search', arguments: { city: 'Lisbon' }, depends_on: ['place'] },
    { call_id: 'book', tool_id: 'book_flight', arguments: { offer: { $from: 'flights', path: 'offers' } }, optional: true },
    { call_id: 'confirm', tool_id: 'search_docs', arguments: { booking: { $from: 'book' } }, optional: true },
    {
      call_id: 'plan',
      tool_id: 'itinerary',
      arguments: { hotels: { $from: 'hotels' }, flights: { $from: 'flights' } },
      defaults: { flights: { offers: [] } },
      critical: true,
    },
  ],
});

const single = (turnId: string, toolName: string, args: unknown = {}): Turn => ({
  turn_id: turnId,
  calls: [{ call_id: 'only', tool_id: toolName, arguments: args }],
});
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
  {
    turn_id: 'late',
    timeout_ms: 200,
    calls: [{ call_id: 'slow', tool_id: 'report', arguments: { ms: 900 } }, ...(single('', 'search_docs').calls ?? [])],
  },
];

/** A turn of about 5,000 spans: 1,000 calls with four attempts each. */
export const longTurn: Turn = {
  turn_id: 'long',
  timeout_ms: 120_000,
  concurrency: 20,
  calls: Array.from({ length: 1_000 }, (_, at) => ({ call_id: `step-${String(at + 1).padStart(4, '0')}`, tool_id: 'batch_step' })),
};

export async function runTurns(url: string, wanted: readonly Turn[]): Promise<void> {
  for (const turn of wanted) {
    const response = await fetch(new URL('/v1/turns', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(turn),
    });
    if (!response.ok) throw new Error(`${turn.turn_id}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  }
}
