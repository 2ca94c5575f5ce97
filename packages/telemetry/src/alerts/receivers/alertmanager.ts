/** Owns handing alerts to an Alertmanager (`POST /api/v2/alerts`), which then groups, silences and notifies by itself. */
import { goTime, sortedLabels } from './go-words.ts';
import { jsonRequest, type NotifiedAlert, type ToRequest } from './notification.ts';

/** An Alertmanager wants to hear of a firing alert this often. */
export const alertmanagerResendMs = 60_000;

/** It takes an alert for resolved when it has missed this many of them. */
const missedResends = 4;

/** `url` is the Alertmanager's own address, with or without the path of its API. */
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
