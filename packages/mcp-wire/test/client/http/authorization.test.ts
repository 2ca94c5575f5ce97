import { describe, expect, test } from 'vitest';
import { type AuthorizationRefusal, type RequestAuthorizer, sendAuthorized } from '../../../src/client/http/authorization.ts';
import type { EndedResponse, ExchangeListener } from '../../../src/client/http/exchange.ts';

const request = { method: 'POST', url: new URL('https://h.example/mcp') };
const ended = (status: number): EndedResponse => ({
  wasSent: true,
  status,
  headers: { 'x-status': String(status) },
  isEventStream: false,
  body: '',
});

interface Scene {
  readonly log: string[];
  readonly sent: (readonly string[])[];
  readonly abort: () => void;
}

/** Sends a request whose responses have these statuses, one after the other. */
function play(authorizer: Partial<RequestAuthorizer>, ...statuses: readonly number[]): Scene {
  const log: string[] = [];
  const sent: (readonly string[])[] = [];
  const listener: ExchangeListener = {
    began: (status) => log.push(`began ${status}`),
    message: () => {},
    eventId: () => {},
    retry: () => {},
    end: ({ status, wasSent }, error) =>
      log.push(`end ${status}${wasSent ? '' : ' unsent'}${error === undefined ? '' : `: ${error.message}`}`),
  };
  const whole: RequestAuthorizer = { headers: () => ['authorization', 'Bearer 1'], refused: () => Promise.resolve(true), ...authorizer };
  const abort = sendAuthorized(whole, request, listener, (headers, each) => {
    const status = statuses[sent.length] ?? 200;
    sent.push(headers);
    each.began(status, {});
    each.end(ended(status), undefined);
    return () => log.push('aborted');
  });
  return { log, sent, abort };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe('a request', () => {
  test('has the headers of the authorizer, at once if they are known', () => {
    const { log, sent } = play({});
    expect(sent).toEqual([['authorization', 'Bearer 1']]);
    expect(log).toEqual(['began 200', 'end 200']);
  });

  test.for([
    [
      'throws',
      (): never => {
        throw new Error('log in first');
      },
    ],
    ['rejects', () => Promise.reject(new Error('log in first'))],
  ] as const)('is not sent if the authorizer %s', async ([, headers]) => {
    const { log, sent } = play({ headers });
    await settled();
    expect(sent).toEqual([]);
    expect(log).toEqual(['end 0 unsent: log in first']);
  });

  test('that was refused is sent again with new headers, and its listener sees one response', async () => {
    const refusals: AuthorizationRefusal[] = [];
    let tokens = 0;
    const { log, sent } = play(
      {
        headers: async () => ['authorization', `Bearer ${++tokens}`],
        refused: async (refusal) => refusals.push(refusal) > 0,
      },
      401,
      200,
    );
    await settled();
    expect(sent.map((headers) => headers[1])).toEqual(['Bearer 1', 'Bearer 2']);
    expect(refusals).toMatchObject([{ status: 401, sent: ['authorization', 'Bearer 1'], url: request.url }]);
    expect(log).toEqual(['began 200', 'end 200']);
  });

  test('that stays refused ends with the refusal after a few tries', async () => {
    const { log, sent } = play({}, 401, 403, 401, 401, 200);
    await settled();
    expect(sent).toHaveLength(4);
    expect(log).toEqual(['began 401', 'end 401']);
  });

  test('is not sent again if the authorizer does not want it, and fails with the error of the authorizer', async () => {
    const unwanted = play({ refused: () => Promise.resolve(false) }, 403);
    const failed = play({ refused: () => Promise.reject(new Error('log in again')) }, 401);
    await settled();
    expect(unwanted.log).toEqual(['began 403', 'end 403']);
    expect(failed.log).toEqual(['end 0 unsent: log in again']);
  });

  test('that fails otherwise is not the authorizer’s', async () => {
    const refused = (): never => {
      throw new Error('not to be called');
    };
    const { log } = play({ refused }, 500);
    await settled();
    expect(log).toEqual(['began 500', 'end 500']);
  });

  test('that was aborted calls nothing more', async () => {
    const waiting = play({ headers: () => settled().then(() => []) });
    waiting.abort();
    const refused = play({ refused: () => settled().then(() => true) }, 401);
    refused.abort();
    await settled();
    await settled();
    expect(waiting).toMatchObject({ log: [], sent: [] });
    expect(refused.log).toEqual(['aborted']);
    expect(refused.sent).toHaveLength(1);
  });
});
