/** The paths of the screens. */
const searchOf = (parameters: Readonly<Record<string, string | number | undefined>>): string => {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
};

export const toolsPath = '/tools';
export const turnsPath = '/turns';
export const failuresPath = '/failures';
export const alertsPath = '/alerts';
export const loginsPath = '/logins';

export interface ToolPlace {
  readonly range?: string | undefined;
  /** Id of a circuit change. */
  readonly change?: number | undefined;
}

export const toolPath = (name: string, place: ToolPlace = {}): string => `/tools/${encodeURIComponent(name)}${searchOf({ ...place })}`;

/** A place in a turn: the call to open and the attempt to highlight. */
export interface TurnPlace {
  readonly run?: number | undefined;
  readonly call?: string | undefined;
  readonly attempt?: number | undefined;
}

/** The place of a failure or a sample. Attempt 0 means that there was none. */
export const placeOf = ({ call_id, attempt }: { readonly call_id: string; readonly attempt: number }): TurnPlace => ({
  call: call_id,
  attempt: attempt > 0 ? attempt : undefined,
});

export const turnPath = (id: string, place: TurnPlace = {}): string => `/turns/${encodeURIComponent(id)}${searchOf({ ...place })}`;

export const whatIfPath = (id: string, place: TurnPlace = {}): string =>
  `/turns/${encodeURIComponent(id)}/what-if${searchOf({ ...place })}`;

export const failurePath = (signature: string): string => `/failures/${encodeURIComponent(signature)}`;

export const alertPath = (fingerprint: string): string => `/alerts${searchOf({ alert: fingerprint })}`;
