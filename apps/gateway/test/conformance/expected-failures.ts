/** Owns the checks that are expected to fail through the gateway, with reasons. An expected failure that passes fails the tests, too. */
import type { Revision } from './server-suite.ts';

interface ExpectedFailure {
  readonly revision: Revision;
  /** Era of the server for which it applies. */
  readonly era?: 'legacy' | 'modern';
  readonly checks: readonly string[];
  readonly because: string;
}

const expected: readonly ExpectedFailure[] = [
  {
    revision: '2025-11-25',
    checks: [
      'server-sse-polling: server-sse-priming-event ServerSendsPrimingEvent',
      'server-sse-polling: server-sse-retry-field ServerSendsRetryField',
      'server-sse-polling: server-sse-disconnect-resume ServerDisconnectResume',
    ],
    because:
      'Not required. The scenario calls a tool whose server ends its own stream and watches the client being sent away to ask again later. Behind a gateway that is the gateway’s business: it asks again, and its own client has the answer on the stream that it waits at.',
  },
  {
    revision: '2026-07-28',
    era: 'legacy',
    checks: [
      'input-required-result-basic-elicitation: sep-2322-elicitation-incomplete InputRequiredResultElicitationIncomplete',
      'input-required-result-basic-elicitation: sep-2322-elicitation-complete InputRequiredResultElicitationComplete',
    ],
    because:
      'The scenario looks for the name that the server gives its question. A question of the older era has none; the gateway gives it one.',
  },
  {
    revision: '2026-07-28',
    era: 'legacy',
    checks: [
      'server-stateless: sep-2575-server-rejects-undeclared-capability ServerRejectsUndeclaredCapability',
      'server-stateless: sep-2575-missing-capability-http-400 MissingCapabilityHttp400',
      'input-required-result-capability-check: sep-2322-respect-client-capabilities RespectClientCapabilities',
    ],
    because:
      'A server of the older era was told once what can be asked, not by each client of the gateway. It asks; the gateway, which knows that this client cannot answer, tells the server so, and the tool makes of it what it does without.',
  },
];

/** Returns the checks that are expected to fail. */
export function expectedFailures(revision: Revision, era: 'legacy' | 'modern'): readonly string[] {
  return expected.filter((one) => one.revision === revision && (one.era ?? era) === era).flatMap(({ checks }) => checks);
}
