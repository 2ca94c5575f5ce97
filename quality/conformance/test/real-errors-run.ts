/**
 * Runs the error corpus with its failing services, classifies every live error with the public `classify`, in its original form and
 * after each crossing, and writes the results to the file given last. A separate program: the corpus restarts itself
 * in a private network.
 */
import { writeFileSync } from 'node:fs';
import { classify } from '@holdfast/core';
import type { Classification } from '@holdfast/core';
import { crossings } from './real-errors-crossings.ts';
import { fields } from './real-errors-report.ts';
import type { Field, Marks, Outcome, Report } from './real-errors-report.ts';

type Provoked =
  | { readonly id: string; readonly error: unknown; readonly at: number; readonly skipped?: never; readonly failed?: never }
  | { readonly id: string; readonly skipped?: string; readonly failed?: string };

interface Label {
  readonly certain: boolean;
}

interface Corpus {
  readonly enterNamespace: () => Promise<void>;
  readonly zoo: (options?: { readonly only?: readonly string[] }) => AsyncIterable<Provoked>;
  readonly compare: (field: Field, label: Label, got: unknown, age: number) => boolean | null;
  readonly labels: Readonly<Record<string, Label>>;
}

async function openCorpus(): Promise<Corpus> {
  const at = (path: string): string => new URL(`../../corpora/errors/${path}`, import.meta.url).href;
  const { enterNamespace } = (await import(at('world/namespace.mjs'))) as Pick<Corpus, 'enterNamespace'>;
  await enterNamespace();
  const { zoo } = (await import(at('run.mjs'))) as Pick<Corpus, 'zoo'>;
  const { compare } = (await import(at('score.mjs'))) as Pick<Corpus, 'compare'>;
  const { default: labels } = (await import(at('labels.json'), { with: { type: 'json' } })) as { default: Corpus['labels'] };
  return { enterNamespace, zoo, compare, labels };
}

const { zoo, compare, labels } = await openCorpus();
const outcomes: Outcome[] = [];
const skipped: string[] = [];
const failed: string[] = [];
const threw: string[] = [];

function marksOf(error: unknown, label: Label, at: number, id: string): { readonly marks: Marks; readonly got: unknown } {
  let got: unknown;
  try {
    got = classify(error, { nowEpochMs: at });
  } catch {
    threw.push(id);
  }
  const marks = Object.fromEntries(fields.map((field) => [field, compare(field, label, got, Date.now() - at)])) as Marks;
  return { marks, got };
}

/** The crossing left words at most, which do not show that the request was not carried out. */
function leftOnlyWords(got: unknown): boolean {
  const { rule, ambiguous } = got as Classification;
  return ambiguous && /^(?:unknown$|words:|text:)/.test(rule);
}

for await (const provoked of zoo()) {
  const { id } = provoked;
  if (!('error' in provoked)) {
    if (provoked.skipped === undefined) failed.push(`${id}: ${provoked.failed ?? ''}`);
    else skipped.push(`${id}: ${provoked.skipped}`);
    continue;
  }
  const label = labels[id];
  if (label === undefined) failed.push(`${id}: no label`);
  if (label?.certain !== true) continue;
  const { marks: live, got } = marksOf(provoked.error, label, provoked.at, id);
  const marks: Record<string, Marks> = { live };
  for (const [name, cross] of Object.entries(crossings)) {
    let arrived: unknown;
    try {
      arrived = cross(provoked.error);
    } catch {
      continue; // it cannot cross
    }
    const crossed = marksOf(arrived, label, provoked.at, `${id} ${name}`);
    const isBare = (name === 'json' || name === 'cloned') && crossed.got !== undefined && leftOnlyWords(crossed.got);
    marks[name] = isBare ? { ...crossed.marks, ambiguous: null } : crossed.marks;
  }
  outcomes.push({ id, marks, got });
}

const report: Report = { outcomes, skipped, failed, threw, namespaces: process.env['MISWORLD_NETNS'] === '1' };
writeFileSync(process.argv.at(-1) ?? '', JSON.stringify(report));
process.exit(0);
