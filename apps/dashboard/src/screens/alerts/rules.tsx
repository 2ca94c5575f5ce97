/** The alert rules: each condition in words and as PromQL. */
import type { AlertRuleItem } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { formatDuration } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import { Code, CopyButton, Disclosure } from '../../ui/parts.tsx';
import { Empty } from '../../ui/states.tsx';
import { severityIndicators, Status } from '../../ui/status.tsx';
import style from './alerts.module.css';
import { rulesInOrder, ruleTitle } from './alerts.model.ts';

export function Rules({ rules }: { readonly rules: readonly AlertRuleItem[] }): ReactNode {
  if (rules.length === 0) return <Empty title="No alert rules." />;
  return (
    <Section title="Alert rules" note="Set thresholds in the manifest, under alerts.rules.">
      <ul className={style['cards']}>
        {rulesInOrder(rules).map((rule) => (
          <Rule key={rule.name} rule={rule} />
        ))}
      </ul>
    </Section>
  );
}

function Rule({ rule }: { readonly rule: AlertRuleItem }): ReactNode {
  const { name, severity, condition, keep_firing_for_ms, expression, firing } = rule;
  const keepFiring =
    keep_firing_for_ms > 0 ? ` Keeps firing for ${formatDuration(keep_firing_for_ms)} after the condition is no longer met.` : '';
  return (
    <li className={style['card']} aria-labelledby={`rule-${name}`}>
      <div className={style['cardHead']}>
        <Status indicator={severityIndicators[severity]} />
        {firing > 0 && (
          <Badge tone="bad" icon="bell" filled>
            {firing} firing
          </Badge>
        )}
        <code>{name}</code>
      </div>
      <h3 id={`rule-${name}`}>{ruleTitle(rule)}</h3>
      <p>
        Condition: {condition}.{keepFiring}
      </p>
      {expression !== '' && (
        <Disclosure summary="PromQL">
          <div className={style['expression']}>
            <Code text={expression} label={`PromQL of ${name}`} />
            <CopyButton text={expression} label={`Copy the PromQL of ${name}`} />
          </div>
        </Disclosure>
      )}
    </li>
  );
}
