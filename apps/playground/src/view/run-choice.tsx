/** In how many processes, and with how many seeds. */
import type { ReactNode } from 'react';
import { maxProcesses, maxSeeds } from '../state/state.ts';
import type { ChoiceProps } from './choice-props.ts';

export function RunChoice({ state, change }: ChoiceProps): ReactNode {
  const { processes, seeds, seed } = state;
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">Runs</h2>
      <div className="row">
        <NumberField
          label="Processes (0: as in the world)"
          value={processes}
          least={0}
          most={maxProcesses}
          onChange={(value) => change({ processes: value })}
        />
        <NumberField label="Seeds" value={seeds} least={1} most={maxSeeds} onChange={(value) => change({ seeds: value })} />
        <label>
          Seed{' '}
          <input
            value={seed}
            size={8}
            maxLength={40}
            onChange={({ target }) => change({ seed: target.value === '' ? '1' : target.value })}
          />
        </label>
      </div>
    </section>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly onChange: (value: number) => void;
}

/** A whole number within limits. */
export function NumberField({ label, value, least, most, onChange }: NumberFieldProps): ReactNode {
  const limit = (given: number): number => Math.min(most, Math.max(least, Number.isFinite(given) ? Math.trunc(given) : least));
  return (
    <label>
      {label} <input type="number" min={least} max={most} value={value} onChange={({ target }) => onChange(limit(target.valueAsNumber))} />
    </label>
  );
}
