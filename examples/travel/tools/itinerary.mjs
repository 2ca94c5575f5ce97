/** A plain function in this process. */
import { setTimeout as wait } from 'node:timers/promises';

export async function create({ preferences, prices, back, weather, tables }, context) {
  const { traveller, likes } = JSON.parse(preferences);
  context.reportProgress({ message: 'writing day by day' });
  await wait(1200, undefined, { signal: context.signal });
  return {
    for: traveller,
    days: weather.map(
      (sky, index) => `Day ${index + 1}: ${sky}; ${likes[index] ?? 'free'}; dinner at ${tables[index]?.name ?? 'the hotel'}`,
    ),
    stay: prices.best,
    home: back[0].flight,
    left_eur: prices.left_eur,
  };
}

export async function book({ activities }) {
  return { booked: activities };
}
