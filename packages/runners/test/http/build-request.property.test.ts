import fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildRequest } from '../../src/http/build-request.ts';
import { httpSettings } from '../../src/http/options.ts';
import { attempt } from '../support/attempt.ts';

const settings = httpSettings({
  url: 'https://api.example.com:8443/users/{{arguments.user}}/files/v-{{arguments.file}}?q={{arguments.query}}',
});
const parts = fc.record({ user: fc.string({ unit: 'binary' }), file: fc.string({ unit: 'binary' }), query: fc.string({ unit: 'binary' }) });

it('no argument changes origin, path structure or the number of parameters', () => {
  fc.assert(
    fc.property(parts, (args) => {
      fc.pre(!['', '.', '..'].includes(args.user));
      const { url } = buildRequest(settings, args, attempt().context);
      expect(url.origin).toBe('https://api.example.com:8443');
      expect(url.hash).toBe('');
      expect(url.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'users', args.user, 'files', `v-${args.file}`]);
      expect([...url.searchParams]).toEqual([['q', args.query]]);
    }),
    { numRuns: 500 },
  );
});

it.each(['', '.', '..', '\ud800'])('the segment %j is refused', (user) => {
  const build = (): unknown => buildRequest(settings, { user, file: 'f', query: 'q' }, attempt().context);
  expect(build).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }) as Error);
});
