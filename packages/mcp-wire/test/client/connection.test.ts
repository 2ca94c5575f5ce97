/** What a connection does with its own side: a listener that throws, params that cannot be sent. */
import { describe, expect, it } from 'vitest';
import { rejection } from './support/connections.ts';
import { fake, settle } from './support/fake-stdio.ts';

describe('a connection', () => {
  it('ignores errors of its listener', async () => {
    const onNotification = (): never => {
      throw new Error('listener');
    };
    const { to, say, lastId } = await fake({ onNotification });
    const pending = to.request('a');
    await settle();
    say({ method: 'notifications/message', params: {} }, { method: 'notifications/x' }, { id: lastId(), result: {} });
    expect(await pending).toEqual({});
  });

  it('rejects params that are not JSON, and forgets the request', async () => {
    const { to } = await fake();
    const circle: Record<string, unknown> = {};
    circle['circle'] = circle;
    expect(await rejection(to.request('a', circle))).toMatchObject({ name: 'TypeError' });
    expect(await rejection(to.request('a', { big: 1n }))).toMatchObject({ name: 'TypeError' });
  });
});
