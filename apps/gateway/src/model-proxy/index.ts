/** Providers of models behind the gateway. */
export { createModelProxy } from './model-proxy.ts';
export { modelProviders } from './settings.ts';
export type { ModelProxy, ModelProxySettings, ModelReport } from './settings.ts';
