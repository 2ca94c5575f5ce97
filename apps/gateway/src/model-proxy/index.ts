/** The model proxy: providers of models behind the gateway. */
export { createModelProxy } from './model-proxy.ts';
export type { ModelProxy, ModelProxySettings, ModelReport } from './settings.ts';
