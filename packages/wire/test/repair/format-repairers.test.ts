/** The repair of single formats does what `repair` does, and the messages of a format need no tool definitions. */
import {
  aiSdkMessages,
  anthropicRequests,
  bedrockRequests,
  geminiContents,
  openaiChatMessages,
  openaiResponsesItems,
  repair,
  rules,
  type Repaired,
  type FormatRepairer,
} from '@holdfast/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kindOf } from '../../src/rule-kinds.ts';
import { damaged, damages } from '../support/damage.ts';
import { cases } from '../support/format-cases.ts';
import { plans } from '../support/plans.ts';

const all: readonly FormatRepairer[] = [
  aiSdkMessages,
  anthropicRequests,
  bedrockRequests,
  geminiContents,
  openaiChatMessages,
  openaiResponsesItems,
];

const partsOf = ({ request, changes, problems, mapping }: Repaired<unknown>): readonly unknown[] => [
  request,
  changes,
  problems,
  mapping.ids,
];

describe.each(all)('$format', (one) => {
  const mine = cases.find(({ format }) => format === one.format);

  test('repairs damaged messages as `repair` does', () => {
    expect(mine).toBeDefined();
    if (!mine) return;
    const { format, list, write } = mine;
    fc.assert(
      fc.property(plans, damages, (plan, damage) => {
        const request = { [list]: damaged(write(plan), list, damage, format)[list] };
        for (const profile of [undefined, 'litellm']) {
          expect(partsOf(one.repair(request, profile))).toEqual(partsOf(repair(request, { format, profile })));
        }
      }),
      { numRuns: 30 },
    );
  });

  test('reports what cannot be read, and never throws', () => {
    for (const request of [undefined, 'text', [], {}, { [mine?.list ?? 'messages']: 7 }])
      expect(partsOf(one.repair(request))).toEqual(partsOf(repair(request, { format: one.format })));
  });
});

test('requests are repaired with their tools', () => {
  const tools = [{ name: 'a b', input_schema: { type: 'object' } }];
  const request = { messages: [{ role: 'user', content: 'Hi.' }], tools };
  expect(anthropicRequests.repair(request).request).toMatchObject({ tools: [{ name: expect.stringMatching(/^[\w-]+$/) as string }] });
});

test.each(Object.entries(rules))('%s: the kind is the same where a repair looks it up', (id, { kind }) => {
  expect(kindOf(id as keyof typeof rules)).toBe(kind);
});
