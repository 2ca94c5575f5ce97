import { describe, expect, it } from 'vitest';
import { parseManifest, patchManifest } from '../../src/index.ts';

const manifest = `# The travel tools.
version: 1
tools:
  - id: search # the busy one
    run: { http: { url: 'http://127.0.0.1:1/search' } }
    effect: read
    # Slow on Mondays.
    retry_policy: { max_attempts: 3 }   # as agreed
    circuit_breaker:
      failure_threshold: 5
      # half a minute
      open_ms: 30000

  - id: mail
    run: { http: { url: 'http://127.0.0.1:1/mail' } }
    retry_budget: false
`;

function patched(text: string, changes: Parameters<typeof patchManifest>[1]): { readonly text: string; readonly diff: string } {
  const patch = patchManifest(text, changes);
  if (patch.problem !== undefined) throw new Error(patch.problem);
  return patch;
}

describe('a patch of a manifest', () => {
  it('changes values in place, and keeps every comment', () => {
    const { text, diff } = patched(manifest, { search: { retry: { maxAttempts: 5 }, breaker: { openMs: 1000 } } });
    expect(text).toContain('retry_policy: { max_attempts: 5 }   # as agreed');
    expect(text).toContain('      # half a minute\n      open_ms: 1000\n');
    expect(diff).toBe(
      [
        '--- a/holdfast.yaml',
        '+++ b/holdfast.yaml',
        '@@ -5,11 +5,11 @@',
        "     run: { http: { url: 'http://127.0.0.1:1/search' } }",
        '     effect: read',
        '     # Slow on Mondays.',
        '-    retry_policy: { max_attempts: 3 }   # as agreed',
        '+    retry_policy: { max_attempts: 5 }   # as agreed',
        '     circuit_breaker:',
        '       failure_threshold: 5',
        '       # half a minute',
        '-      open_ms: 30000',
        '+      open_ms: 1000',
        ' ',
        '   - id: mail',
        "     run: { http: { url: 'http://127.0.0.1:1/mail' } }",
        '',
      ].join('\n'),
    );
  });

  it('changes a setting under the name that the file has for it', () => {
    const { text } = patched(manifest.replace('open_ms', 'timeout_ms'), { search: { breaker: { openMs: 1000 } } });
    expect(text).toContain('      # half a minute\n      timeout_ms: 1000\n');
    expect(text).not.toContain('open_ms');
  });

  it('adds missing settings: to a block, to flow style, and instead of a disabled setting', () => {
    const { text } = patched(manifest, {
      search: { timeoutMs: 2000, retry: { maxTotalTimeMs: 9000, jitter: 'full' }, breaker: { successThreshold: 2 } },
      mail: { retryBudget: { ratio: 0.2 }, breaker: false },
    });
    expect(text).toContain('retry_policy: { max_attempts: 3, jitter: full, max_total_time_ms: 9000 }   # as agreed');
    expect(text).toContain('      open_ms: 30000\n      success_threshold: 2\n');
    expect(text).toContain('    retry_budget: { ratio: 0.2 }\n    circuit_breaker: false\n');
    const { manifest: read, problems } = parseManifest(text);
    expect(problems).toEqual([]);
    expect(read?.tools[0]).toMatchObject({
      timeoutMs: 2000,
      retry: { maxAttempts: 3, maxTotalTimeMs: 9000, jitter: 'full' },
      breaker: { failureThreshold: 5, openMs: 30000, successThreshold: 2 },
    });
    expect(read?.tools[1]).toMatchObject({ retryBudget: { ratio: 0.2 }, breaker: false });
  });

  it('is empty if the manifest already has all settings', () => {
    expect(patched(manifest, { search: { retry: { maxAttempts: 3 } } })).toEqual({ text: manifest, diff: '' });
  });

  it('describes the manual change if a tool is not listed, or uses anchors', () => {
    expect(patchManifest(manifest, { fetch: { retry: { maxAttempts: 2 } } }).problem).toBe(
      "holdfast.yaml: it has no such tool. Write the settings of 'fetch' by hand: { retry_policy: { max_attempts: 2 } }",
    );
    const shared = manifest.replace('retry_policy: { max_attempts: 3 }', 'retry_policy: &few { max_attempts: 3 }');
    expect(patchManifest(shared, { search: { retry: { maxAttempts: 2 } } }).problem).toContain("'retry_policy' has a form");
    expect(patchManifest('tools: [', {}).problem).toContain('cannot be read as YAML');
  });
});
