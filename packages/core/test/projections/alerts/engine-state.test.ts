/** Silences, acknowledgements, and the state after a restart. */
import { describe, expect, it } from 'vitest';
import type { SavedAlerts } from '../../../src/projections/alerts/saved.ts';
import { started, Watched } from './watched-service.ts';

describe('silences and acknowledgements', () => {
  const failing = (): Watched => new Watched().calls(20, 'error').after(60);

  it('a silence covers the alerts that it matches, from its start to its end', () => {
    const watched = failing();
    const { engine, now } = watched;
    engine.silence({
      id: 's1',
      matchers: [{ name: 'tool', value: 'sea.*', isRegex: true }],
      startsAtEpochMs: now + 15_000,
      endsAtEpochMs: now + 45_000,
      createdBy: 'me',
      comment: '',
    });
    const covered = (): readonly string[] | undefined => engine.active()[0]?.silencedBy;
    expect(covered()).toEqual([]);
    watched.after(15);
    expect(covered()).toEqual(['s1']);
    expect(engine.endSilence('s1', watched.now)).toBe(true);
    watched.after(15);
    expect(covered()).toEqual([]);
    expect(engine.endSilence('s1', watched.now)).toBe(false);
  });

  it.each([
    [{ matchers: [] }, 'at least one'],
    [{ matchers: [{ name: 'tool', value: '(', isRegex: true }] }, 'pattern'],
    [{ matchers: [{ name: 'a b', value: '' }] }, 'not a valid label name'],
    [{ endsAtEpochMs: 0 }, 'must be after startsAtEpochMs'],
  ])('refuses %j', (part, why) => {
    const silence = { id: 's', matchers: [{ name: 'tool', value: 'x' }], startsAtEpochMs: 0, endsAtEpochMs: 1, createdBy: '', comment: '' };
    expect(() => failing().engine.silence({ ...silence, ...part })).toThrow(why);
  });

  it('an alert keeps its acknowledgement until it has been resolved for a while', () => {
    const watched = failing();
    const fingerprint = watched.engine.active()[0]?.fingerprint ?? '';
    expect(watched.engine.acknowledge(fingerprint, { by: 'me', atEpochMs: 1, comment: 'on it' })).toMatchObject({
      acknowledged: { by: 'me' },
    });
    expect(watched.after(15).engine.active()[0]?.acknowledged?.comment).toBe('on it');
    expect(watched.engine.withdrawAcknowledgement(fingerprint)?.acknowledged).toBeUndefined();
    watched.engine.acknowledge(fingerprint, { by: 'me', atEpochMs: 1 });
    // It comes back soon: it has been seen.
    watched.after(600).calls(20, 'error').after(60);
    expect(watched.firing).toEqual(['ToolFailureRateHigh']);
    expect(watched.engine.active()[0]?.acknowledged?.by).toBe('me');
    watched.after(2_400).calls(20, 'error').after(60);
    expect(watched.firing).toEqual(['ToolFailureRateHigh']);
    expect(watched.engine.active()[0]?.acknowledged).toBeUndefined();
    expect(watched.engine.acknowledge('0'.repeat(16), { by: 'me', atEpochMs: 1 })).toBeUndefined();
  });
});

describe('a restart', () => {
  it('continues from its saved state in JSON although its counters begin at 0', () => {
    const before = new Watched().calls(16).calls(4, 'error').after(30);
    before.engine.silence({
      id: 's',
      matchers: [{ name: 'tool', value: 'x' }],
      startsAtEpochMs: 0,
      endsAtEpochMs: started * 2,
      createdBy: '',
      comment: '',
    });
    const saved = JSON.parse(JSON.stringify(before.engine.save())) as SavedAlerts;
    const after = new Watched();
    after.engine.restore(saved);
    after.now = before.now;
    after.calls(5);
    expect(after.after(15).log).toEqual(['45 ToolFailureRateHigh firing']);
    expect(after.engine.active()[0]?.measured).toBe('4 of 25 (16 %, 95 % CI 6.4-35 %)');
    expect(after.engine.silences()).toEqual(before.engine.silences());
  });

  it('rejects anything that is not saved state', () => {
    const { engine } = new Watched();
    const saved = engine.save();
    const wrong: readonly unknown[] = [
      null,
      {},
      { version: 2 },
      { ...saved, samples: {} },
      { ...saved, samples: { moments: ['now'], series: [] } },
      { ...saved, samples: { moments: [1], series: [{ name: 'm', labels: {}, first: 0, values: [1, 2] }] } },
      { ...saved, samples: { moments: [1], series: [{ name: 'm', labels: {}, first: 0.5, values: [] }] } },
      { ...saved, samples: { moments: [1], series: [{ name: 'm', labels: {}, first: 0, values: 'x' }] } },
      { ...saved, alerts: [1] },
      { ...saved, alerts: { CircuitOpen: [['["search"]', null]] } },
      { ...saved, alerts: { CircuitOpen: [['["search"]', { state: 'on', activeAtEpochMs: 1, measured: { labels: {}, value: 1 } }]] } },
      { ...saved, silences: [{}] },
      { ...saved, causes: [['key']] },
      { ...saved, evaluatedAtEpochMs: 'now' },
    ];
    for (const each of wrong)
      expect(() => engine.restore(each as SavedAlerts), JSON.stringify(each)).toThrow('Pass the value that save() returned');
  });
});
