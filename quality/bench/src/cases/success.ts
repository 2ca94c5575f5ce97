import { contest } from './contest.ts';

export const success = contest({
  name: 'success',
  title: 'A call that succeeds at once',
  what: 'The tool is `async () => 1`. Calls are awaited one after another.',
  targets: [
    { to: 'opossum 10', atMost: 1.5 },
    { to: 'cockatiel 4', atMost: 0.1, wanted: '≤ 1/10 of cockatiel 4' },
  ],
});
