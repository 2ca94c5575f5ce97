/** `holdfast rules`: the alert rules of the manifest, in words or for Prometheus, Alertmanager and Grafana. */
import { type AlertRule, defaultAlertRules, defaultInhibitRules, describeCondition } from '@holdfast/core/alerts';
import { grafanaDashboard, printInhibitRules, printRules, prometheusRules } from '@holdfast/telemetry/alerts';
import type { Action } from '../action.ts';
import { findConfig, type GlobalOptions, loadConfig } from '../config.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import type { Console } from '../terminal/console.ts';

interface RulesOptions extends GlobalOptions {
  readonly print?: 'prometheus' | 'alertmanager' | 'grafana';
  readonly by?: readonly string[];
  readonly burnRate?: number;
}

interface Rules {
  readonly rules: readonly AlertRule[];
  readonly intervalMs?: number;
}

export const act: Action<undefined, RulesOptions> = async (_none, options, console) => {
  const known = await rulesOf(options, console);
  if (options.print === undefined) list(known.rules, console);
  else console.out.write(formatRules(options.print, known, options));
  return exitCodes.ok;
};

async function rulesOf(options: RulesOptions, console: Console): Promise<Rules> {
  if (options.config === undefined && findConfig() === undefined) return { rules: defaultAlertRules() };
  // The gateway is loaded where there is one to ask.
  const [{ alerts }, { alertRulesOf }] = await Promise.all([loadConfig(options, console), import('@holdfast/gateway')]);
  return { rules: alertRulesOf(alerts), intervalMs: alerts.intervalMs };
}

function formatRules(what: NonNullable<RulesOptions['print']>, { rules, intervalMs }: Rules, { by, burnRate }: RulesOptions): string {
  if (what === 'grafana') return `${JSON.stringify(grafanaDashboard(), undefined, 2)}\n`;
  if (what === 'alertmanager') return printInhibitRules(defaultInhibitRules);
  try {
    const file = prometheusRules(rules, {
      ...(by ? { by } : {}),
      ...(intervalMs === undefined ? {} : { intervalMs }),
      ...(burnRate === undefined ? {} : { burnRate: { objective: burnRate } }),
    });
    return printRules(file);
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

function list(rules: readonly AlertRule[], console: Console): void {
  for (const rule of rules) {
    console.out.line(`${rule.name} (${rule.severity})`);
    console.out.line(`  ${describeCondition(rule)}`);
  }
}
