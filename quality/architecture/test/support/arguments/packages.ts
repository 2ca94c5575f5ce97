/** Owns the arguments of `@holdfast/wire`, `@holdfast/manifest` and `@holdfast/adapter-kit`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as kit from '@holdfast/adapter-kit';
import * as manifest from '@holdfast/manifest';
import * as world from '@holdfast/manifest/world';
import * as lab from '@holdfast/manifest/lab';
import * as wire from '@holdfast/wire';
import { call, run, service } from '../entry-point.ts';
import { anyValue, made, type Owner } from './subject.ts';

const schema = { type: 'object' } as const;
const example = (path: string): string => join(import.meta.dirname, '../../../../../examples', path);
const files = {
  loadManifest: example('travel/holdfast.yaml'),
  loadTurn: example('travel/turn.yaml'),
  loadPolicy: example('travel/holdfast.yaml'),
  loadWorld: example('14-simulate/world.yaml'),
};
const texts = {
  changes: 'policy: { timeout_ms: 5 }',
  policy: 'defaults: { timeout_ms: 5 }',
  turn: 'calls: [{ call_id: a, tool_id: search }]',
  world: readFileSync(files.loadWorld, 'utf8'),
};
const request = { messages: [{ role: 'user', content: 'hi' }] };
const format = { format: 'openai-chat' };
const yaml = 'tools:\n  - id: search\n    run: { http: { url: "http://search.test" } }\n';
const written = manifest.parseManifest(yaml, { env: {} }).manifest as manifest.Manifest;
const answer = { choices: [{ message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }] };
const anySchema = ['a schema of any value', 'object', 'misspelt'] as const;
const vendor = 'reads values of frameworks, whatever they are';
const report = await service.executeTurn({ turnId: 'turn', calls: [call] });
const result = await service.executeTool(call);
const ajv = { compile: () => Object.assign(() => true, { errors: null }) };
const judged = anyValue('what is wrong with it is what it answers');

export const packageOwners: readonly Owner[] = [
  {
    name: '@holdfast/wire',
    get: () => wire,
    subjects: {
      ResponseValidationMiddleware: { args: () => [{}] },
      argumentReader: { args: () => [{}] },
      assembleStream: { args: () => ['openai-chat'] },
      cleanJsonSchema: { args: () => [schema], accepts: { 0: judged } },
      coerce: { args: () => ['1', schema], accepts: { 0: anyValue('a model may write anything'), 1: anySchema } },
      compileLenientSchema: { args: () => [schema, {}], accepts: { 0: anySchema } },
      detectFormat: { args: () => [request], accepts: { 0: anyValue('it answers undefined') } },
      faultOf: { args: () => [new Error('x')], accepts: { 0: anyValue('anything can be thrown') } },
      fromAjv: { args: () => [ajv] },
      guardFetch: { args: () => [() => undefined, {}] },
      nativePatterns: { args: () => ['a'] },
      providerProfileOf: { args: () => ['openai'] },
      providerRules: { args: () => ['openai-chat', 'openai', 'gpt'], accepts: { 1: ["the format's own provider", 'undefined'] } },
      readArguments: { args: () => [{ raw: '{}', schema }], accepts: { 0: ['a call may come without arguments', 'object', 'misspelt'] } },
      repair: { args: () => [request, format] },
      unwrapCalls: { args: () => [[call], ['search']], accepts: { 1: ['no tool is offered under the name of a wrapper', 'undefined'] } },
      validate: { args: () => [request, format], accepts: { 0: judged } },
      validateResponse: { args: () => [answer, format], accepts: { 0: judged } },
    },
  },
  {
    name: 'ResponseValidationMiddleware',
    get: () => new wire.ResponseValidationMiddleware({ format: 'openai-chat' }),
    subjects: {
      createErrorResponse: { args: () => [new Error('x')], accepts: { 0: anyValue('anything can be thrown') } },
      repair: { args: () => [request] },
      sanitizeResponse: { args: () => [answer], accepts: { 0: judged } },
      validateRequest: { args: () => [request], accepts: { 0: judged } },
      validateResponse: { args: () => [answer], accepts: { 0: judged } },
      validateToolCallResultMatch: { args: () => [[], []], accepts: { 0: judged, 1: judged } },
    },
  },
  {
    name: '@holdfast/manifest',
    get: () => manifest,
    subjects: {
      buildTools: { args: () => [written, {}], accepts: { 0: made } },
      checkJsonSchema: { args: () => [schema], accepts: { 0: judged } },
      commentedManifest: { args: () => [] },
      compileJsonSchema: { args: () => [schema], accepts: { 0: ['a schema of any value', 'object'] } },
      formatProblem: {
        args: () => [{ severity: 'error', code: 'x', message: 'm', file: 'f', line: 1, column: 1, length: 1, path: '' }, {}],
        accepts: { 0: made },
      },
      fromPolicy: { args: () => [{ timeoutMs: 5 }], accepts: { 0: ['no settings', 'object'] } },
      fromReport: { args: () => [report], accepts: { 0: made } },
      fromResult: { args: () => [result], accepts: { 0: made } },
      isOffered: { args: () => ['a', { include: ['*'], exclude: [] }] },
      loadManifest: { args: () => [files.loadManifest, {}] },
      loadOpenapi: { args: () => [written, {}], accepts: { 0: made } },
      loadPolicy: { args: () => [files.loadPolicy] },
      loadTools: { args: () => [written, {}], accepts: { 0: made } },
      loadTurn: { args: () => [files.loadTurn, {}] },
      manifestJsonSchema: { args: () => [] },
      mcpServerOptions: {
        args: () => ['a', { command: 'node' }, '/'],
        accepts: { 1: ['a manifest has checked it', 'object', 'misspelt'] },
      },
      mergePolicies: { args: () => [{}] },
      offeredName: { args: () => ['a', 'b', { maxLength: 60, separator: '_' }] },
      parseChanges: { args: () => [texts.changes, {}] },
      parseManifest: { args: () => [yaml, {}] },
      parsePolicy: { args: () => [texts.policy, {}] },
      parseTurn: { args: () => [texts.turn, {}] },
      parseTurnInSteps: { args: () => [texts.turn, {}, () => undefined] },
      patchManifest: { args: () => [yaml, { search: { timeoutMs: 5 } }, {}], accepts: { 1: ['no changes', 'object'] } },
      policyJsonSchema: { args: () => [] },
      postgresOptions: { args: () => [{ connections: 1, schema: 's', url: 'postgres://a' }, {}] },
      serviceOptions: { args: () => [written, {}], accepts: { 0: made } },
      toPolicy: { args: () => [{ timeout_ms: 5 }], accepts: { 0: ['no settings', 'object'] } },
      turnJsonSchema: { args: () => [] },
      withTail: { args: () => ['a', 'b', 20] },
      worldJsonSchema: { args: () => [] },
    },
  },
  {
    name: '@holdfast/manifest/lab',
    get: () => lab,
    subjects: {
      holdfastOptions: { args: () => [{ defaults: {}, recoveryRules: [], tools: {}, turn: {} }, 'a'], accepts: { 0: made } },
      parsePolicySettings: { args: () => [texts.policy, {}] },
      parseWorld: { args: () => [texts.world, {}] },
      printWorld: 'of a world that was parsed',
    },
  },
  {
    name: '@holdfast/manifest/world',
    get: () => world,
    subjects: {
      loadWorld: { args: () => [files.loadWorld] },
      parseWorld: { args: () => [texts.world, {}] },
      printWorld: 'of a world that was parsed',
    },
  },
  {
    name: '@holdfast/adapter-kit',
    get: () => kit,
    subjects: {
      CallSignal: vendor,
      Conversations: { args: () => [run] },
      ExecutedArguments: { args: () => [] },
      ParsedReliable: { args: () => [[{ name: 'a', run: () => 1 }], {}] },
      Reliable: { args: () => [[{ name: 'a', run: () => 1 }], {}] },
      ToolCallError: 'thrown by adapters, not made by a user',
      TurnCollector: { args: () => [] },
      answerNativeCall: 'called by adapters',
      checkReliableOptions: 'is itself a check, for adapters',
      checkStartOptions: 'is itself a check, for adapters',
      checkToolList: { args: () => [[]] },
      createReliability: { args: () => [{}] },
      describeMismatch: {
        args: () => [{ schema, value: 1 }],
        accepts: { 0: ['nothing is known about the arguments', 'object', 'misspelt'] },
      },
      describeRejection: vendor,
      errorOfResult: vendor,
      failedResultWith: vendor,
      fieldOf: vendor,
      fieldsOf: vendor,
      isContentPart: vendor,
      isUnaltered: { args: () => [result], accepts: { 0: made } },
      itemsOf: vendor,
      membersOf: vendor,
      readDeclaredSchema: vendor,
      resultOfError: vendor,
      withProperties: vendor,
    },
  },
];
