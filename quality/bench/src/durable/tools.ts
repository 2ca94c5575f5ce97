/** The four tools of the turn, for both implementations: they answer with some bytes at once. */
export const DEADLINE_MS = 300_000;

interface Flight {
  readonly flight: string;
  readonly from: string;
  readonly to: string;
}

export const tools = {
  search: async (): Promise<readonly Flight[]> => [
    { flight: 'LH 400', from: 'FRA', to: 'JFK' },
    { flight: 'LH 404', from: 'FRA', to: 'JFK' },
  ],
  prices: async (_flights: unknown) => ({ 'LH 400': 612.5, 'LH 404': 598, currency: 'EUR' }),
  seats: async (_flights: unknown) => ({ 'LH 400': ['12A', '14C'], 'LH 404': ['7F'] }),
  itinerary: async (_prices: unknown, _seats: unknown) => ({ flight: 'LH 404', seat: '7F', price: 598 }),
} as const;
