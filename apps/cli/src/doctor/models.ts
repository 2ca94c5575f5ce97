/** Owns looking at the providers of models: an address that answers, a key that is there. No key is shown, none is sent. */
import type { Manifest } from '@holdfast/manifest';
import type { Finding } from './finding.ts';

const reachLimitMs = 5_000;

export async function checkModels({ gateway }: Manifest, environment: NodeJS.ProcessEnv = process.env): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    Object.entries(gateway.models).map(async ([provider, { baseUrl, apiKey, headers }]): Promise<readonly Finding[]> => {
      const common = { check: 'model', subject: provider } as const;
      const names = [apiKey, ...Object.values(headers)].flatMap((value) => (typeof value === 'object' ? [value.env] : []));
      const missing = names.filter((name) => (environment[name] ?? '') === '');
      const keys = missing.map((name): Finding => ({
        ...common,
        status: 'error',
        message: `${name} is not set`,
        advice: 'Every request to this provider would be answered 500: set the variable.',
      }));
      return [...keys, { ...common, ...(await reached(provider, baseUrl)) }];
    }),
  );
  return findings.flat();
}

async function reached(provider: string, baseUrl: string): Promise<Pick<Finding, 'status' | 'message' | 'advice'>> {
  const { origin, pathname } = new URL(baseUrl);
  try {
    const response = await fetch(origin, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(reachLimitMs) });
    await response.body?.cancel();
  } catch (error) {
    const cause = (error as { readonly cause?: { readonly code?: unknown } }).cause;
    const why = typeof cause?.code === 'string' ? cause.code : (error as Error).message;
    return { status: 'warning', message: `${origin} cannot be reached (${why})`, advice: 'The gateway answers 502 until it can be.' };
  }
  if (provider === 'openai' && !/\/v\d/.test(pathname))
    return {
      status: 'warning',
      message: `${baseUrl} has no version`,
      advice: 'OpenAI’s own SDK takes it with the version, such as https://api.openai.com/v1.',
    };
  return { status: 'ok', message: baseUrl };
}
