/** Owns collecting the candidates from all sources, in the order of the list. */
import type { Runner } from '@holdfast/core';
import { type JsonObject, Pauses } from '@holdfast/mcp-wire/client';
import type { Candidate } from './candidate.ts';
import type { CatalogInput } from './catalog.ts';
import type { KnownServers, ServerTools } from './known-servers.ts';
import { type ListedTool, manifestCandidate, type ServerTool, serverToolOf } from './manifest-tools.ts';
import { extraCandidate, type OfferContext, serverCandidate } from './offer.ts';
import type { RunUpstream } from './upstream-tool.ts';

type Known = Pick<KnownServers, 'get' | 'check'>;

/** Returns the manifest's own tools, then its servers with their tools by name, then other sources. */
export async function gatherCandidates(input: CatalogInput, known: Known, context: OfferContext): Promise<readonly Candidate[]> {
  return [
    ...ownCandidates(input, known, context),
    ...(await serversCandidates(input, known, context)),
    ...(input.extra ?? []).flatMap((tool) => extraCandidate(tool, context) ?? []),
  ];
}

function ownCandidates({ manifest, tools }: CatalogInput, known: Known, context: OfferContext): readonly Candidate[] {
  const isBlocking = manifest.gateway.toolLock === 'block';
  const own = isBlocking ? { ...context, run: afterCheck(context.run, known) } : context;
  const built = new Map(tools.map((tool) => [tool.name, tool]));
  const listed = new Map<string, ReadonlyMap<unknown, JsonObject>>();
  const toListedTool = ({ server, tool }: ServerTool): ListedTool => {
    const state = known.get(server);
    const definitions = listed.get(server) ?? new Map(state?.tools.map((definition) => [definition['name'], definition]));
    listed.set(server, definitions);
    return { definition: definitions.get(tool), degraded: state?.degraded ?? false };
  };
  return manifest.tools.flatMap((entry) => {
    const tool = built.get(entry.name);
    const runsOn = serverToolOf(entry);
    const isWithheld = runsOn !== undefined && known.get(runsOn.server)?.withheld.has(runsOn.tool) === true;
    return tool === undefined || isWithheld
      ? []
      : (manifestCandidate({ entry, built: tool, manifest, context: own, listed: toListedTool }) ?? []);
  });
}

/** A tool of the manifest is offered before its server is listed. With a blocking lock it does not run before that. */
function afterCheck(run: RunUpstream, known: Known): RunUpstream {
  return (tool) => {
    const runner = run(tool);
    const checked: Runner = async (args, context) => {
      await known.check(tool.server, tool.tool);
      context.signal.throwIfAborted();
      return runner(args, context);
    };
    return Object.assign(checked, runner);
  };
}

async function serversCandidates({ manifest }: CatalogInput, known: Known, context: OfferContext): Promise<readonly Candidate[]> {
  const pauses = new Pauses();
  const places = manifest.tools.flatMap((entry) => serverToolOf(entry) ?? []);
  const replaced = new Set(places.map(({ server, tool }) => `${server}\0${tool}`));
  // The lists of one moment: a server may answer during a pause.
  const states = Object.entries(manifest.mcpServers).map(([server, entry]) => ({ server, entry, state: known.get(server) }));
  const candidates: Candidate[] = [];
  for (const { server, entry, state } of states) {
    if (state === undefined || !entry.expose) continue;
    for (const definition of offeredOf(state)) {
      if (pauses.isDue) await pauses.pause();
      if (replaced.has(`${server}\0${String(definition['name'])}`)) continue;
      const candidate = serverCandidate({ server, entry, definition, degraded: state.degraded }, context);
      if (candidate !== undefined) candidates.push(candidate);
    }
  }
  return candidates;
}

/** By name, in the order of its code units. */
function offeredOf({ tools, withheld }: ServerTools): ServerTools['tools'] {
  const byName = new Map(tools.map((tool) => [String(tool['name']), tool]));
  return [...byName.keys()].toSorted().flatMap((name): ServerTools['tools'] => {
    const tool = byName.get(name);
    return tool === undefined || withheld.has(name) ? [] : [tool];
  });
}
