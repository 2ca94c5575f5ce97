/** The settings and schemas of a tool. */
import type { ToolDetail } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { Section } from '../../ui/page.tsx';
import { Code, Disclosure, Facts } from '../../ui/parts.tsx';
import { settingLines } from './settings.model.ts';
import style from './tool.module.css';

export function Settings({ tool }: { readonly tool: ToolDetail }): ReactNode {
  const { settings, input_schema, output_schema } = tool;
  return (
    <Section title="Effective settings">
      <Facts facts={settingLines(settings).map(({ name, text }) => [name, text] as const)} />
      <div className={style['raw']}>
        <Disclosure summary="All settings, as in a manifest">
          <Code label="Settings" text={JSON.stringify(settings, null, 2)} />
        </Disclosure>
        {input_schema !== undefined && (
          <Disclosure summary="Input schema">
            <Code label="JSON Schema of the arguments" text={JSON.stringify(input_schema, null, 2)} />
          </Disclosure>
        )}
        {output_schema !== undefined && (
          <Disclosure summary="Output schema">
            <Code label="JSON Schema of the output" text={JSON.stringify(output_schema, null, 2)} />
          </Disclosure>
        )}
      </div>
    </Section>
  );
}
