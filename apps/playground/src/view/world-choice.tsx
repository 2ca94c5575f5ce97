/** The world: a story, a scenario of the catalogue, or a text. */
import { printWorld } from '@holdfast/manifest/lab';
import { scenarios } from '@holdfast/simulate';
import type { ReactNode } from 'react';
import { useSchema } from '../editor/use-schema.ts';
import { YamlEditor } from '../editor/yaml-editor.tsx';
import { isScenario, scenarioNames, stories } from '../lab/stories.ts';
import type { TextChoiceProps } from './choice-props.ts';

const loadSchema = (): Promise<{ readonly default: unknown }> => import('@holdfast/manifest/schema/world.schema.json');

export function WorldChoice({ state, change, problems }: TextChoiceProps): ReactNode {
  const { world, worldText } = state;
  const schema = useSchema(worldText !== '', loadSchema);
  return (
    <section aria-labelledby="world">
      <h2 id="world">World</h2>
      <div className="cards">
        {stories.map(({ name, title, story }) => (
          <button
            type="button"
            key={name}
            aria-pressed={worldText === '' && name === world}
            onClick={() => change({ world: name, worldText: '' })}
          >
            <b>{title}</b>
            <span>{story}</span>
          </button>
        ))}
      </div>
      <div className="row">
        <label>
          Scenario{' '}
          <select value={world} onChange={({ target }) => isScenario(target.value) && change({ world: target.value, worldText: '' })}>
            {scenarioNames.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {worldText === '' ? (
          <button type="button" onClick={() => isScenario(world) && change({ worldText: printWorld(scenarios[world]) })}>
            Edit as YAML
          </button>
        ) : (
          <button type="button" onClick={() => change({ worldText: '' })}>
            Discard the YAML
          </button>
        )}
      </div>
      {worldText === '' ? (
        <p className="quiet">{isScenario(world) ? scenarios[world].description : ''}</p>
      ) : (
        <YamlEditor
          label="World (Ctrl+Space: suggestions)"
          value={worldText}
          schema={schema}
          problems={problems}
          onChange={(text) => change({ worldText: text })}
        />
      )}
    </section>
  );
}
