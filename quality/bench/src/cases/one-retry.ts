import { connectionLost } from '../contenders/contender.ts';
import { contest } from './contest.ts';

export const oneRetry = contest({
  name: 'one-retry',
  title: 'One failure, then success, no delay between the attempts',
  what: 'Every other run of the tool throws a new `Error` with the code `ECONNRESET`. One retry is allowed, without delay.',
  targets: [
    { to: 'cockatiel 4', atMost: 0.1, wanted: '≤ 1/10 of cockatiel 4' },
    { to: 'p-retry 9', atMost: 1, wanted: 'not above p-retry 9' },
  ],
  takesPart: ({ retries }) => retries,
  job() {
    let runs = 0;
    return {
      retriesAtOnce: 1,
      async run() {
        runs += 1;
        if (runs % 2 === 1) throw connectionLost();
        return 1;
      },
    };
  },
});
