/** The lists of servers that are merged here. Tools are the catalog's. */
export type ListKind = 'resources' | 'templates' | 'prompts';

export interface ListWords {
  readonly method: string;
  /** Of the result. */
  readonly field: string;
  /** Of an entry: what it is told apart by. */
  readonly key: string;
  /** Without it, a server is not asked. */
  readonly capability: string;
  /** What clients are told when it has changed. */
  readonly changed: string;
}

export const listWords: Readonly<Record<ListKind, ListWords>> = {
  resources: {
    method: 'resources/list',
    field: 'resources',
    key: 'uri',
    capability: 'resources',
    changed: 'notifications/resources/list_changed',
  },
  templates: {
    method: 'resources/templates/list',
    field: 'resourceTemplates',
    key: 'uriTemplate',
    capability: 'resources',
    changed: 'notifications/resources/list_changed',
  },
  prompts: {
    method: 'prompts/list',
    field: 'prompts',
    key: 'name',
    capability: 'prompts',
    changed: 'notifications/prompts/list_changed',
  },
};
