/** Owns what is to be said about the figures beyond themselves. No figures of a run: they would stay when the run's change. */

const remarks: Readonly<Record<string, string>> = {
  outage: `Nothing succeeds while the service is down; what is begun then can only succeed later. Policies that do not wait lose all of it, whatever else they do. A minute
of outage leaves a backlog that takes two minutes to serve beside new calls, and nobody waits longer than a minute: part of it is lost for everyone but who knows when
the service will be back.`,
  black_hole: `Every request hangs until the client's time limit. A policy that retries time-outs without a budget sends several times the demand the moment the service is
back, and its queue never empties: what is answered comes too late for everybody.`,
  random_failures: `With 30 % of requests failing, 1 / (1 − 0.3) = 1.43 requests per call are needed for every call to succeed; fewer than 1.4 cannot reach 99 %. A breaker
that counts failures in a row opens by chance every few seconds at 100 calls per second.`,
  brownout: `The service answers 60 of 100 calls per second. What is sent beyond that waits in its queue until it is worth nothing, and is worked on all the same. Who sends
no more than is answered loses nothing but time; who serves the oldest first makes everyone wait for most of a minute, long after the fault
([the ablation](./ablation.md) has the figures of both orders).`,
  rate_limit: `The demand fits on average. Who waits for \`Retry-After\`, and tells its siblings, loses nothing; who takes a 429 for a failure opens a circuit on a healthy
service.`,
  flapping: `The service comes back before a long-open circuit notices, and goes down again. Short openings and waiting are worth most here.`,
  permanent: `A call that can never work says nothing about the service. A policy that counts it as a failure opens its circuit on a healthy one. Calls that can never work
are left out of the success figures.`,
  bad_replica: `One of three replicas fails, and a client cannot choose its replica: one and a half requests per call are what it takes for every call to succeed.`,
  slow_replica: `Nothing fails, so retries and circuits have nothing to do: what helps is a second attempt beside a slow one, which most likely meets another replica. It costs
a request for each call that is slow by chance as well; [the ablation](./ablation.md) has the figures without it.`,
  lone_agent: `One caller has no siblings to learn from: every probe is one of its own calls. Few turns begin in a run, so the figures spread.`,
  mixed_effects: `*done twice* are side effects of tools that must not be repeated: a time limit ran out, the work was done all the same, and the call was sent again.`,
};

export function remarksOf(world: string): string | undefined {
  return remarks[world];
}

export const summaryRemarks = `## What the figures say

- **A breaker shared by many callers costs more than it saves where a service fails in part.** Compare \`spec\`, \`cockatiel\`, \`opossum\` and \`resilience4j\` with \`none\` in
  flapping and random failures. \`adaptive\` opens only at what chance does not do, for a moment at first.
- **Retries that nothing pays for keep a service down.** \`naive5\`, \`p-retry\`, \`temporal\` and \`openai-sdk\` never recover from a black hole or a brownout, though both end.
- **A rate limit is no outage.** Who waits as long as the service asks loses nothing; who counts a 429 as a failure does.

## What \`adaptive\` gives up

- **Time.** Calls wait for recovery as long as their turn has time, so those that fail in the end fail late (*failed wait*), and the mean of those that succeed counts the
  wait. \`waitForRecovery: false\` fails fast instead; [the ablation](./ablation.md) has its price.
- **Some of the backlog.** Fresh calls go first, so that turns begun after the fault are served at once; in the order of their coming more calls of the backlog would
  succeed, and everyone would wait for minutes after the fault was over. \`concurrency.order: 'in_order'\` chooses that.
- **A few requests** for hedging, where nothing is wrong: \`hedge: false\`.

Recovery is measured in whole seconds. The oracle is a bound of what waiting can reach, not of recovery: it serves its backlog in order.`;
