/** Similar requests with long ids, and large duplicated turns. */
import { repair } from '@holdfast/wire';
import { describe, expect, it } from 'vitest';

describe('similar requests', () => {
  it('keeps the long native ids of Kimi', () => {
    const id = 'functions.mcp__github__create_pull_request_review:12';
    const request = {
      messages: [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: '', tool_calls: [{ id, type: 'function', function: { name: 'a', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: id, content: 'r' },
      ],
    };
    expect(repair(request, { format: 'openai-chat', profile: 'kimi' }).request).toBe(request);
  });
});

it('is fast for a large turn that is duplicated except for one call', () => {
  const calls = Array.from({ length: 2000 }, (_unused, index) => ({
    id: `c${index}`,
    type: 'function',
    function: { name: 'a', arguments: '{}' },
  }));
  const again = [...calls, { id: 'new', type: 'function', function: { name: 'a', arguments: '{}' } }];
  const request = {
    messages: [
      { role: 'user', content: 'u' },
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'assistant', content: null, tool_calls: again },
    ],
  };
  const start = performance.now();
  repair(request, { format: 'openai-chat' });
  expect(performance.now() - start).toBeLessThan(2000);
});
