import type { AlertEvent, Delivery } from '@holdfast/gateway/contract';
import { expect, test } from 'vitest';
import {
  contentOf,
  deliveryIndicator,
  eventIndicator,
  eventSubject,
  kindLabel,
  testOutcome,
} from '../../../src/screens/alerts/delivery.model.ts';

const delivery = (more: Partial<Delivery> = {}): Delivery => ({
  id: 1,
  at: '2026-11-22T10:00:00.000Z',
  receiver: 'ops',
  status: 'delivered',
  attempts: 1,
  alerts: ['a', 'b'],
  ...more,
});

test('describes a delivery', () => {
  expect(contentOf(delivery())).toBe('2\u00A0alerts');
  expect(contentOf(delivery({ test: true, alerts: ['a'] }))).toBe('a test');
  expect(deliveryIndicator(delivery({ status: 'waiting' })).label).toBe('in progress');
  expect(kindLabel({ kind: 'pagerduty' })).toBe('PagerDuty');
});

test('describes the result of a test delivery', () => {
  expect(testOutcome(delivery({ test: true }))).toBe('The test was delivered to ops.');
  expect(testOutcome(delivery({ status: 'failed', attempts: 5, error: 'The receiver answered 503' }))).toBe(
    'The test of ops failed after 5\u00A0attempts: The receiver answered 503',
  );
  expect(testOutcome(delivery({ status: 'failed' }))).toBe('The test of ops failed after 1\u00A0attempt.');
});

test('an event is named after its rule, or "silence"', () => {
  const event: AlertEvent = { id: 1, at: '', kind: 'firing', name: 'CircuitOpen', text: '' };
  expect(eventSubject(event)).toBe('CircuitOpen');
  expect(eventSubject({ ...event, kind: 'silence_ended', name: '0b1c' })).toBe('silence');
  expect(eventIndicator({ kind: 'withdrawn' }).label).toBe('cleared before firing');
});
