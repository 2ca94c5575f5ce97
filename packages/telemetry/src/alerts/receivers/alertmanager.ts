/** Owns sending alerts to an Alertmanager (`POST /api/v2/alerts`), which groups, silences and notifies itself. */
import { goTime, sortedLabels } from './go-json.ts';
import { jsonRequest, type NotifiedAlert, type ToRequest } from './notification.ts';

/** How often an Alertmanager expects a firing alert. */
export const alertmanagerResendMs = 60_000;

/** After this many missed updates an Alertmanager resolves an alert. */
const missedResends = 4;

/** `url` is the address of the Alertmanager, with or without the path of its API. */
export const alertmanagerRequest: ToRequest = ({ alerts, at }, address) =>
  jsonRequest({ ...address, url: apiUrl(address.url) }, JSON.stringify(alerts.map((alert) => postable(alert, at))));

const apiPath = '/api/v2/alerts';

function apiUrl(text: string): string {
  const url = new URL(text);
  const path = url.pathname.replace(/\/+$/, '');
  if (!path.endsWith(apiPath)) url.pathname = `${path}${apiPath}`;
  return url.href;
}

function postable({ labels, annotations, startsAt, endsAt, generatorUrl }: NotifiedAlert, at: number): object {
  return {
    labels: sortedLabels(labels),
    annotations: sortedLabels(annotations),
    startsAt: goTime(startsAt),
    endsAt: goTime(endsAt ?? at + missedResends * alertmanagerResendMs),
    ...(generatorUrl === '' ? {} : { generatorURL: generatorUrl }),
  };
}
