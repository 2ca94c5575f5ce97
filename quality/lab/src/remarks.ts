/** Owns remarks that explain the figures. Without figures of a run, since those change with the next run. */

const remarks: Readonly<Record<string, string>> = {
  outage: `Nothing succeeds while the service is down; calls made then can only succeed later. Policies that do not wait lose all of them, whatever else they do. A minute
of outage leaves a backlog that takes two minutes to serve next to new calls, and callers wait at most a minute: every policy that does not know when the service will be
back loses a part of it.`,
  black_hole: `Every request hangs until the client's time limit. A policy that retries time-outs without a budget sends several times the demand the moment the service is
back, and its queue never empties: every answer comes too late.`,
  random_failures: `With 30 % of requests failing, 1 / (1 − 0.3) = 1.43 requests per call are needed for every call to succeed; fewer than 1.4 cannot reach 99 %. A breaker
that counts consecutive failures opens by chance every few seconds at 100 calls per second.`,
  brownout: `The service answers 60 of 100 calls per second. Further requests wait in its queue until their callers have given up, and are still worked on. A policy that
sends no more than is answered only loses time; one that serves the oldest calls first makes all calls wait for most of a minute, long after the fault
([the ablation](./ablation.md) has the figures of both orders).`,
  rate_limit: `The average demand is within the limit. A policy that waits for \`Retry-After\`, with all callers, loses nothing; one that counts a 429 as a failure opens a circuit on a healthy
service.`,
  flapping: `The service comes back before a long-open circuit notices, and goes down again. Short open periods and waiting help most here.`,
  permanent: `A call that can never succeed shows nothing about the service. A policy that counts it as a failure opens its circuit on a healthy service. Such calls
are excluded from the success figures.`,
  bad_replica: `One of three replicas fails, and a client cannot choose its replica: it takes one and a half requests per call for every call to succeed.`,
  slow_replica: `Nothing fails, so retries and circuits have no effect: only a second attempt beside a slow one helps, which most likely reaches another replica. It also costs
a request for each call that is slow by chance; [the ablation](./ablation.md) has the figures without it.`,
  huge_hint: `The answers ask every caller to wait for an hour, and the service is back after a minute. A policy that believes them for all callers stays away for an hour.`,
  stray_hint: `One answer of 2,000 asks to wait for two minutes. Only the call that is told so has a reason to wait.`,
  token_bucket: `Random arrivals exceed the bucket now and then by a few requests. A policy that holds all calls after each refusal loses the rate that the bucket allows.`,
  tight_bucket: `A tenth of the demand cannot be served. Waiting only moves it: whatever a policy does, the bucket gives 90 per second.`,
  heavy_tail: `Nothing is overloaded: slow requests occupy servers that are free. A policy that takes slowness for load makes the others wait.`,
  slow_by_turns: `Latency changes, load does not: there is nothing to wait for.`,
  growing_latency: `Latency changes, load does not: there is nothing to wait for.`,
  slow_tool: `A call that takes half a minute is healthy. Without a time limit nothing tells a slow answer from a lost one.`,
  closed_outage: `Agents that fail at once are back after two seconds, so that a policy without waiting makes many more turns, nearly all of which fail during the outage; compare shares with care.`,
  hasty_turns: `Turns of 5 s cannot wait for the end of an outage of a minute: most of them are lost whatever a policy does.`,
  poisoned_caller: `The one agent's calls are excluded from the success figures: nothing can make them succeed. They show nothing about the tool, and must not close it for the others.`,
  poisoned_arguments: `Calls that can never succeed are excluded from the success figures; what is spent on them counts as requests.`,
  collapse: `The trigger is gone after 15 s. Without any policy, the queue that it leaves takes until the end of the run: at 92 % load little capacity is left for it.`,
  overload: `Without a limit the queue grows until every answer comes too late.`,
  lone_agent: `A single caller has no other callers to learn from: every probe is one of its own calls. Few turns begin in a run, so the figures vary.`,
  mixed_effects: `*done twice* counts repeated side effects of tools that must not be repeated: a call timed out, its work was done all the same, and the call was sent again.`,
};

export function remarksOf(world: string): string | undefined {
  return remarks[world];
}

export const summaryRemarks = `## Conclusions

- **A breaker shared by many callers costs more than it saves when a service fails in part.** Compare \`spec\`, \`cockatiel\`, \`opossum\` and \`resilience4j\` with \`none\` in
  flapping and random failures. Under \`adaptive\`, several different calls have to fail in a row, without a success for a second.
- **Retries without a budget keep a service down.** \`naive5\`, \`p-retry\`, \`temporal\` and \`openai-sdk\` never recover from a black hole or a brownout, though both end.
- **A rate limit is not an outage.** A policy that waits as long as the service asks loses nothing; one that counts a 429 as a failure does.

## What \`adaptive\` gives up

- **Time.** Calls wait for recovery as long as their turn has time, so those that finally fail fail late (*failed wait*), and the mean of those that succeed counts the
  wait. \`waitForRecovery: false\` fails fast instead; [the ablation](./ablation.md) has its price.
- **Some of the backlog.** Fresh calls are never held for it, and it stops when the tool gets slower: where little capacity is free, most of it expires.
- **A few requests** for hedging in normal operation: \`hedge: false\`.

Recovery is measured in whole seconds. The oracle is an upper bound for waiting, not for recovery: it serves its backlog in order.`;
