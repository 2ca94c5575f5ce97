/** Runs in a thread of its own: it calculates for a while and would hold up everybody else. */

/** @param {number} ms */
function calculate(ms) {
  const end = Date.now() + ms;
  let sum = 0;
  while (Date.now() < end) sum += Math.sqrt(sum + 1);
  return sum;
}

export function compare({ flights, hotels, activities, nights, budget }, { reportProgress }) {
  const combinations = flights.flatMap((flight) => hotels.map((hotel) => ({ flight, hotel })));
  const priced = combinations.map(({ flight, hotel }, index) => {
    calculate(550);
    reportProgress({ progress: index + 1, total: combinations.length, message: `${flight.flight} with ${hotel.hotel}` });
    return { flight: flight.flight, hotel: hotel.hotel, total_eur: 2 * flight.price_eur + nights * hotel.night_eur };
  });
  const [best] = priced.sort((a, b) => a.total_eur - b.total_eur);
  return { best, compared: priced.length, activities: activities.length, left_eur: budget - best.total_eur };
}
