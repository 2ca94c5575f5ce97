/** The policies: profiles, other libraries, and settings of the visitor's own. */
import { namedContenders } from '@holdfast/simulate/peers';
import type { ReactNode } from 'react';
import { useSchema } from '../editor/use-schema.ts';
import { YamlEditor } from '../editor/yaml-editor.tsx';
import { maxPolicies } from '../state/state.ts';
import type { TextChoiceProps } from './choice-props.ts';

const loadSchema = (): Promise<{ readonly default: unknown }> => import('@holdfast/manifest/schema/policy.schema.json');

const choices = [...namedContenders, { name: 'own', description: 'Your own settings as YAML' }];

export function PolicyChoice({ state, change, problems }: TextChoiceProps): ReactNode {
  const { policies, ownPolicy } = state;
  const own = policies.includes('own');
  const schema = useSchema(own, loadSchema);
  const toggle = (name: string): void => {
    const changed = policies.includes(name) ? policies.filter((each) => each !== name) : [...policies, name];
    if (changed.length > 0 && changed.length <= maxPolicies) change({ policies: changed });
  };
  const full = policies.length >= maxPolicies;
  return (
    <section aria-labelledby="policies">
      <h2 id="policies">Policies</h2>
      <p className="quiet">One to four.</p>
      <div className="chips" role="group" aria-label="Policies">
        {choices.map(({ name, description }) => (
          <button
            type="button"
            key={name}
            title={description}
            aria-pressed={policies.includes(name)}
            disabled={full && !policies.includes(name)}
            onClick={() => toggle(name)}
          >
            {name === 'own' ? 'your own' : name.replace('peer:', '')}
          </button>
        ))}
      </div>
      {own && (
        <YamlEditor
          label="Your policy (Ctrl+Space: suggestions)"
          value={ownPolicy}
          schema={schema}
          problems={problems}
          onChange={(text) => change({ ownPolicy: text })}
        />
      )}
    </section>
  );
}
