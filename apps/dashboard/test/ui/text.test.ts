import { expect, test } from 'vitest';
import { describeStopReason } from '../../src/ui/stop-reasons.ts';
import { visibleText } from '../../src/ui/visible-text.ts';

test('every stop reason has a sentence; an unknown one is shown by name', () => {
  for (const reason of ['attempts', 'budget', 'deadline', 'circuit', 'policy', 'not_retryable']) {
    expect(describeStopReason(reason).sentence).toMatch(/\.$/u);
    expect(describeStopReason(reason).sentence).not.toContain('Stopped by');
  }
  expect(describeStopReason('moon_phase').short).toBe('moon phase');
  expect(describeStopReason('constructor').short).toBe('constructor');
});

test('invisible and bidirectional characters are made visible', () => {
  expect(visibleText('a\u202Egnihton\u0007b\u200B')).toBe('a⟨U+202E⟩gnihton⟨U+0007⟩b⟨U+200B⟩');
  expect(visibleText('soft\u00ADtag\u{E0041}filler\u3164')).toBe('soft⟨U+00AD⟩tag⟨U+E0041⟩filler⟨U+3164⟩');
  expect(visibleText('two\nlines\tund Wörter 日本 👩‍💻'.replace('\u200D', ''))).toBe('two\nlines\tund Wörter 日本 👩💻');
});
