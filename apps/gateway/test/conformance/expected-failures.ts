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
      'Not required. In the scenario, the server closes its stream during a call, and the client has to poll. Behind a gateway, the gateway polls, and its client gets the answer on its open stream.',
  },
  {
    revision: '2026-07-28',
    era: 'legacy',
    checks: [
      'input-required-result-basic-elicitation: sep-2322-elicitation-incomplete InputRequiredResultElicitationIncomplete',
      'input-required-result-basic-elicitation: sep-2322-elicitation-complete InputRequiredResultElicitationComplete',
    ],
    because: 'The scenario checks the name of a question. Questions of the older era have no names; the gateway generates them.',
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
      'A server of the older era gets the capabilities once from the gateway, not from each client. It asks, the gateway refuses the question for a client without the capability, and the tool continues without an answer.',
  },
];

/** Returns the checks that are expected to fail. */
export function expectedFailures(revision: Revision, era: 'legacy' | 'modern'): readonly string[] {
  return expected.filter((one) => one.revision === revision && (one.era ?? era) === era).flatMap(({ checks }) => checks);
}
