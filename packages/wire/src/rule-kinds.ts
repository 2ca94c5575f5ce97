/** Owns where the fault is if a rule is broken, apart from the texts of the rules, which a program that repairs does not need. */
import type { RuleId, RuleKind } from './rules.ts';

const others: Readonly<Partial<Record<RuleId, RuleKind>>> = {
  'tools-empty': 'definition',
  'tool-choice': 'definition',
  'tool-schema': 'definition',
  'tool-duplicate': 'definition',
  'tool-shape': 'definition',
  'tool-count': 'definition',
  'server-state': 'state',
  'response-shape': 'model',
  'malformed-call': 'model',
  'unknown-tool': 'model',
  truncated: 'model',
  'finish-reason': 'model',
};

/** Where the fault is if a rule is broken: in the transcript, for most of them. */
export const kindOf = (rule: RuleId): RuleKind => others[rule] ?? 'history';
