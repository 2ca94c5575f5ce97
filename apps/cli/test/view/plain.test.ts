import { describe, expect, it } from 'vitest';
import { renderPlain } from '../../src/view/plain/plain.ts';
import { travelTurn } from './travel-turn.ts';

describe('plain lines', () => {
  it('are one per event: time of day, elapsed time, call, event', () => {
    expect(travelTurn().map(renderPlain)).toEqual([
      '10:00:00.000   +0.000s  turn travel-7f3a started 2026-03-09: 6 calls, deadline 30s, profile spec, seed 42',
      '10:00:00.001   +0.001s  flight_search: started',
      '10:00:00.001   +0.001s  flight_search: attempt 1, timeout 30s',
      '10:00:00.001   +0.001s  hotel_search: started',
      '10:00:00.001   +0.001s  hotel_search: attempt 1, timeout 30s',
      '10:00:00.001   +0.001s  activity_search: started',
      '10:00:00.001   +0.001s  activity_search: attempt 1, timeout 3s',
      '10:00:00.091   +0.091s  hotel_search: attempt 1 failed: 429 Too Many Requests (transient, rate_limit, rule status:429)',
      '10:00:00.091   +0.091s  hotel_search: decided retry: Transient error + circuit closed + retries available',
      '10:00:00.091   +0.091s  hotel_search: attempt 2 in 1.5s',
      '10:00:00.321   +0.321s  flight_search: attempt 1 failed: 503 Service Unavailable (transient, unavailable, rule status:503)',
      '10:00:00.321   +0.321s  flight_search: decided retry: Transient error + circuit closed + retries available',
      '10:00:00.321   +0.321s  flight_search: attempt 2 in 104ms',
      '10:00:00.425   +0.425s  flight_search: attempt 2, timeout 30s',
      '10:00:00.725   +0.725s  flight_search: attempt 2 failed: 503 Service Unavailable (transient, unavailable, rule status:503)',
      '10:00:00.725   +0.725s  flight_search: decided use_alternative flight_search_backup: Attempts exhausted (2 of 2); alternative flight_search_backup available',
      '10:00:00.726   +0.726s  flight_search: using alternative flight_search_backup',
      '10:00:00.726   +0.726s  flight_search (flight_search_backup): attempt 3, timeout 30s',
      '10:00:01.590   +1.590s  flight_search (flight_search_backup): succeeded after 864ms, attempt 3',
      '10:00:01.590   +1.590s  flight_search: done: success, 1.6s, 3 attempts, served by flight_search_backup',
      '10:00:01.591   +1.591s  hotel_search: attempt 2, timeout 30s',
      '10:00:02.105   +2.105s  hotel_search: succeeded after 514ms, attempt 2',
      '10:00:02.105   +2.105s  hotel_search: done: success, 2.1s, 2 attempts',
      '10:00:03.001   +3.001s  activity_search: attempt 1 timed out after 3s',
      '10:00:03.001   +3.001s  activity_search: attempt 1 failed: Tool timeout after 3s (transient, timeout, rule tool timeout)',
      '10:00:03.001   +3.001s  activity_search: decided fail: Attempts exhausted (1 of 1)',
      '10:00:03.001   +3.001s  activity_search: done: timeout, 3.0s, Tool timeout after 3s',
      '10:00:03.002   +3.002s  compare_prices: uses the default for activity_search',
      '10:00:03.002   +3.002s  compare_prices: started',
      '10:00:03.002   +3.002s  compare_prices: attempt 1, timeout 30s',
      '10:00:03.002   +3.002s  create_itinerary: Optional tool skipped due to dependency failure, because of activity_search',
      '10:00:03.002   +3.002s  create_itinerary: skipped, 0ms',
      '10:00:03.002   +3.002s  email_plan: Optional tool skipped due to dependency failure, because of create_itinerary because of activity_search',
      '10:00:03.002   +3.002s  email_plan: skipped, 0ms',
      '10:00:03.400   +3.400s  activity_search: finished late after 3.4s, result not used',
      '10:00:03.485   +3.485s  compare_prices: succeeded after 483ms',
      '10:00:03.485   +3.485s  compare_prices: done: success, 483ms',
      '10:00:03.486   +3.486s  turn partial in 3.5s. Completed flight search, hotel search and compare prices, but activity search timed out',
    ]);
  });

  it("tell a hold by the server's Retry-After from a rate limit", () => {
    const [first] = travelTurn();
    if (first === undefined) throw new Error('the fixture is empty');
    const waiting = { ...first, event_type: 'AdmissionWaiting', call_id: 'a', tool_id: 'a', wait: 'retry_after', delay_ms: 750 } as const;
    expect(renderPlain(waiting)).toBe('10:00:00.000   +0.000s  a: waiting for the rate limit, retry in 750ms');
    expect(renderPlain({ ...waiting, held_ms: 750 })).toBe("10:00:00.000   +0.000s  a: held by the server's Retry-After, retry in 750ms");
    const refused = { code: 'RATE_LIMITED', circuit_breaker_state: 'closed', retry_after_ms: 8_000, held_ms: 8_000 } as const;
    expect(renderPlain({ ...first, event_type: 'CallRefused', call_id: 'a', tool_id: 'a', ...refused })).toBe(
      "10:00:00.000   +0.000s  a: not called: RATE_LIMITED, held by the server's Retry-After, retry in 8.0s",
    );
  });

  it('omit progress without content', () => {
    const [first] = travelTurn();
    if (first === undefined) throw new Error('the fixture is empty');
    const progress = { ...first, event_type: 'ToolProgress', call_id: 'a', tool_id: 'a', attempt: 1 } as const;
    expect(renderPlain(progress)).toBeUndefined();
    expect(renderPlain({ ...progress, progress: 3, total: 10, message: 'page\u001B[31m three\r\n' })).toBe(
      '10:00:00.000   +0.000s  a: progress 3/10, page three',
    );
  });
});
