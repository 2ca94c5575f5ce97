/** Reports each test of the checkout's Vitest when it ends, so that the results of a run that hangs are not lost. */
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Plan, RunEvent } from '../plan.ts';

const plan = JSON.parse(readFileSync(String(process.env['HOLDFAST_FRAMEWORK_PLAN']), 'utf8')) as Plan;

interface Failure {
  readonly message?: string;
  readonly stack?: string;
  readonly diff?: string;
}
interface Module {
  readonly moduleId: string;
  errors(): readonly Failure[];
}
interface Case {
  readonly module: Module;
  readonly fullName: string;
  result(): { readonly state: string; readonly errors?: readonly Failure[] };
}

const write = (event: RunEvent): void => appendFileSync(plan.events, `${JSON.stringify(event)}\n`);
const fileOf = ({ moduleId }: Module): string => relative(plan.root, moduleId);
const textOf = ([first]: readonly Failure[] = []): string | undefined =>
  first && [first.message, first.diff].filter((part) => part !== undefined).join('\n');

export default class EventsReporter {
  onTestModuleStart(module: Module): void {
    write({ kind: 'start', file: fileOf(module) });
  }

  onTestCaseResult(each: Case): void {
    const { state, errors } = each.result();
    write({ kind: 'test', file: fileOf(each.module), test: each.fullName, state, error: textOf(errors) });
  }

  onTestModuleEnd(module: Module): void {
    write({ kind: 'end', file: fileOf(module), error: textOf(module.errors()) });
  }

  onTestRunEnd(_modules: unknown, escaped: readonly Failure[]): void {
    for (const error of escaped) write({ kind: 'escaped', error: textOf([error]) ?? '' });
  }
}
