/**
 * Owns the alerts of every rule from evaluation to evaluation. Does not own the samples, nor silences and inhibition.
 *
 * Invariants
 * 1. Rules are evaluated in their order, alerts in the order in which their series were first read: the same samples give the same changes.
 * 2. At most `maxAlerts` at a time; further ones are not kept. Known alerts take precedence.
 */
import type { Acknowledgement, AlertChange } from './alert.ts';
import type { Measurement, Measurements } from './measure.ts';
import { holds, measure } from './measure.ts';
import type { AlertRule } from './rule.ts';
import type { SampleHistory } from './sample-history.ts';
import { step, type Instance } from './alert-lifecycle.ts';

export interface Entry {
  readonly rule: AlertRule;
  readonly key: string;
  readonly instance: Instance;
}

export interface Transition extends Entry {
  readonly kind: AlertChange['kind'];
}

/** JSON: alerts by rule name, each with its key. */
export type SavedInstances = Readonly<Record<string, readonly (readonly [key: string, instance: Instance])[]>>;

interface RuleState {
  readonly rule: AlertRule;
  readonly instances: Map<string, Instance>;
  hasData: boolean;
}

export class RuleBook {
  readonly #states: readonly RuleState[];
  readonly #maxAlerts: number;
  #size = 0;

  constructor(rules: readonly AlertRule[], maxAlerts: number) {
    this.#states = rules.map((rule) => ({ rule, instances: new Map(), hasData: false }));
    this.#maxAlerts = maxAlerts;
  }

  evaluate(history: SampleHistory, nowEpochMs: number): readonly Transition[] {
    return this.#states.flatMap((state) => {
      const measured = measure(state.rule, history, nowEpochMs);
      state.hasData = measured.size > 0;
      const keys = new Set([...state.instances.keys(), ...measured.keys()]);
      return [...keys].flatMap((key) => this.#step(state, key, exceeding(state, key, measured), nowEpochMs));
    });
  }

  entries(): readonly Entry[] {
    return this.#states.flatMap(({ rule, instances }) => [...instances].map(([key, instance]) => ({ rule, key, instance })));
  }

  states(): readonly { readonly rule: AlertRule; readonly hasData: boolean; readonly instances: readonly Instance[] }[] {
    return this.#states.map(({ rule, hasData, instances }) => ({ rule, hasData, instances: [...instances.values()] }));
  }

  isFiring(rule: AlertRule, key: string): boolean {
    return this.#states.find((state) => state.rule === rule)?.instances.get(key)?.state === 'firing';
  }

  acknowledge({ rule, key }: Entry, acknowledged: Acknowledgement | undefined): Entry | undefined {
    const state = this.#states.find((each) => each.rule.name === rule.name);
    const before = state?.instances.get(key);
    if (!state || !before) return undefined;
    const { acknowledged: _, ...bare } = before;
    const instance = acknowledged ? { ...bare, acknowledged } : bare;
    state.instances.set(key, instance);
    return { rule: state.rule, key, instance };
  }

  save(): SavedInstances {
    return Object.fromEntries(this.#states.map(({ rule, instances }) => [rule.name, [...instances]]));
  }

  restore(saved: SavedInstances): void {
    this.#size = 0;
    for (const { rule, instances } of this.#states) {
      instances.clear();
      const savedInstances = Object.hasOwn(saved, rule.name) ? saved[rule.name] : undefined;
      for (const [key, instance] of savedInstances ?? []) instances.set(key, instance);
      this.#size += instances.size;
    }
  }

  #step({ rule, instances }: RuleState, key: string, measured: Measurement | undefined, nowEpochMs: number): readonly Transition[] {
    const before = instances.get(key);
    if (!before && measured && this.#size >= this.#maxAlerts) return [];
    const { instance, changes } = step(rule, before, measured, nowEpochMs);
    if (instance) instances.set(key, instance);
    else instances.delete(key);
    this.#size += Number(instance !== undefined) - Number(before !== undefined);
    const shown = instance ?? before;
    return shown ? changes.map((kind) => ({ kind, rule, key, instance: shown })) : [];
  }
}

function exceeding({ rule, instances }: RuleState, key: string, measured: Measurements): Measurement | undefined {
  const measurement = measured.get(key);
  return measurement && holds(rule.condition, measurement, instances.get(key)?.state === 'firing') ? measurement : undefined;
}
