/** Owns the arguments of the entries of `@holdfast/core` that are about what was recorded: alerts, fleets, history, metrics, replay, turns; and of its testing entry. */
import * as alerts from '@holdfast/core/alerts';
import * as fleet from '@holdfast/core/fleet';
import * as history from '@holdfast/core/history';
import * as journal from '@holdfast/core/journal';
import * as metrics from '@holdfast/core/metrics';
import * as replay from '@holdfast/core/replay';
import * as testing from '@holdfast/core/testing';
import * as turnView from '@holdfast/core/turn-view';
import { events, system } from '../entry-point.ts';
import { inputs } from './core.ts';
import { anyValue, made, type Owner } from './subject.ts';

const view = turnView.foldTurn(events);
const [alertRule] = alerts.defaultAlertRules();
const circuits = (): fleet.SharedCircuits => fleet.memorySharedCircuits({ epochMs: () => 0 });
const damaged = ['a trace may be damaged: it may lack any field', 'object', 'misspelt'] as const;
const guard = { strategy: 'retry', check: 'attempts', passed: true } as never;
const segment = turnView.emptySegment('attempt' as never, 0);

export const recordOwners: readonly Owner[] = [
  {
    name: '@holdfast/core/alerts',
    get: () => alerts,
    subjects: {
      createAlertEngine: { args: () => [{}] },
      defaultAlertRules: { args: () => [{}] },
      describeCondition: { args: () => [alertRule] },
    },
  },
  {
    name: 'AlertEngine',
    get: () => alerts.createAlertEngine(),
    subjects: {
      observe: { args: () => [events[0]], accepts: { 0: made } },
      evaluate: { args: () => [0] },
      acknowledge: { args: () => ['a', { by: 'me', atEpochMs: 0 }] },
      withdrawAcknowledgement: { args: () => ['a'] },
      silence: {
        args: () => [
          { id: 'a', comment: 'c', createdBy: 'me', startsAtEpochMs: 0, endsAtEpochMs: 1, matchers: [{ label: 'tool', value: 'a' }] },
        ],
      },
      endSilence: { args: () => ['a', 0] },
      restore: { args: () => [alerts.createAlertEngine().save()], accepts: { 0: made } },
      save: { args: () => [] },
      rules: { args: () => [] },
      silences: { args: () => [] },
      alerts: { args: () => [] },
      active: { args: () => [] },
    },
  },
  {
    name: '@holdfast/core/fleet',
    get: () => fleet,
    subjects: {
      completeFleetSettings: { args: () => [{}] },
      memorySharedCircuits: { args: () => [{ epochMs: () => 0 }] },
      shareCircuits: { args: () => [circuits(), {}], accepts: { 0: made } },
      stepFleetCircuit: {
        args: () => [undefined, { type: 'reset', toolName: 'a', worker: 'b' }, 0, fleet.fleetCircuitDefaults],
        accepts: { 1: made, 3: ['the defaults', 'undefined', 'misspelt'] },
      },
    },
  },
  { name: '@holdfast/core/history', get: () => history, subjects: { createHistory: { args: () => [{}] } } },
  { name: '@holdfast/core/journal', get: () => journal, subjects: { runJournaledTurn: 'options.test.ts' } },
  { name: '@holdfast/core/metrics', get: () => metrics, subjects: { createMetrics: { args: () => [{}] } } },
  {
    name: 'Metrics',
    get: () => metrics.createMetrics(),
    subjects: {
      observe: { args: () => [events[0]], accepts: { 0: made } },
      addTool: { args: () => ['a'] },
      setTools: { args: () => [['a']] },
      setCircuit: { args: () => ['a', 'open'] },
      family: { args: () => ['calls'] },
      eachSeries: { args: () => ['calls'] },
      samples: { args: () => ['a'], accepts: { 0: anyValue('it answers an empty list: there is no such metric') } },
      snapshot: { args: () => [] },
      readActive: { args: () => [] },
    },
  },
  {
    name: '@holdfast/core/replay',
    get: () => replay,
    subjects: {
      changedTurnSettings: { args: () => [replay.readRecording(events), {}], accepts: { 0: made } },
      readRecording: { args: () => [events] },
      recordedFault: { args: () => [{ event_type: 'ToolError', code: 'A', error: 'b', attempt: 1 }], accepts: { 0: made } },
      recordedOutcome: { args: () => [events.find(({ event_type: type }) => type === 'ToolSucceeded')], accepts: { 0: made } },
      replayTurn: { args: () => [events, {}] },
    },
  },
  {
    name: '@holdfast/core/testing',
    get: () => testing,
    subjects: {
      historyContract: { args: () => [{ open: () => undefined }] },
      manualSystem: { args: () => [{}] },
      memoryJournal: { args: () => [{ system }] },
      sealedRowsContract: { args: () => [{ open: () => undefined, wait: () => undefined }] },
      sharedCircuitsContract: { args: () => [{ open: () => undefined, wait: () => undefined }] },
      storeContract: { args: () => [{ open: () => undefined }] },
    },
  },
  {
    name: '@holdfast/core/turn-view',
    get: () => turnView,
    subjects: {
      circuitsOf: { args: () => [view], accepts: { 0: made } },
      compareToLimit: { args: () => [guard], accepts: { 0: damaged } },
      counterfactuals: { args: () => [{ inputs, decision: { action: 'fail', guards: [] } }], accepts: { 0: made } },
      createTurnFold: { args: () => [{}] },
      emptySegment: { args: () => ['attempt', 0] },
      foldTurn: { args: () => [events, {}] },
      groupByStrategy: { args: () => [[guard]], accepts: { 0: anyValue('a damaged record has it: it answers an empty list') } },
      guardName: { args: () => [guard], accepts: { 0: damaged } },
      guardSubject: { args: () => [guard], accepts: { 0: damaged } },
      interruptTurn: { args: () => [view], accepts: { 0: made } },
      isControlTurnId: { args: () => ['a'], accepts: { 0: anyValue('it is no such id') } },
      isInapplicable: { args: () => ['retry', inputs], accepts: { 1: damaged } },
      latenessOf: { args: () => [segment], accepts: { 0: made } },
      measuresTime: { args: () => [guard], accepts: { 0: damaged } },
      turnTotals: { args: () => [view], accepts: { 0: made } },
    },
  },
  {
    name: 'TurnFold',
    get: () => turnView.createTurnFold(),
    subjects: {
      observe: { args: () => [events[0]], accepts: { 0: anyValue('a trace may be damaged: it answers false') } },
      view: { args: () => [] },
    },
  },
];
